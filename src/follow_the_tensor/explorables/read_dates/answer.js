// What is said about an answer.

import { WORDS } from "./words.js";

// The probability that the model gave to the character it wrote in a step.
function chance({ probabilities, target, written }, step) {
  return probabilities[step][target.indexOf(written[step])];
}

function product(answer, step) {
  return answer.written.slice(0, step + 1).reduce((sofar, _, n) => sofar * chance(answer, n), 1);
}

function judge(answer) {
  const whole = product(answer, answer.last);
  const feeling = whole > 0.9 ? WORDS.sure : whole > 0.5 ? WORDS.doubts : WORDS.guesses;
  const day = isDay(answer.answer) ? "" : WORDS.noDay;
  return WORDS.whole(answer.answer, percent(whole)) + feeling + day;
}

function isDay(iso) {
  const date = new Date(iso);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === iso;
}

// Neither certain nor impossible is ever shown: a softmax gives neither.
function percent(share) {
  if (share > 0.999) return "> 99.9 %";
  return share < 0.001 ? "< 0.1 %" : `${(share * 100).toFixed(1)} %`;
}

export { chance, judge, percent, product };

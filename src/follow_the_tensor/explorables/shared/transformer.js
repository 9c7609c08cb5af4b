// The Transformer of the package in plain JavaScript, for pages without a kernel.
// It takes one sequence at a time, so there is no axis B and no padding, and no dropout.
// A matrix is an array of rows. Layers get their parameters by the names they have in the
// package: layer.self_attn.W_q.weight.

function dot(a, b) {
  let sum = 0;
  for (let n = 0; n < a.length; n++) sum += a[n] * b[n];
  return sum;
}

const mean = (row) => row.reduce((sum, value) => sum + value, 0) / row.length;
const add = (x, y) => x.map((row, i) => row.map((value, d) => value + y[i][d])); // [L, D] + [L, D]

function softmax(scores) {
  const largest = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp(score - largest));
  const sum = exponentials.reduce((total, each) => total + each, 0);
  return exponentials.map((each) => each / sum);
}

// [L, in] -> [L, out]; weight is [out, in], as in PyTorch
function linear(x, { weight, bias }) {
  return x.map((row) => weight.map((column, n) => dot(row, column) + bias[n]));
}

function layerNorm(x, { weight, bias }) {
  return x.map((row) => {
    const centre = mean(row);
    const variance = mean(row.map((value) => (value - centre) ** 2));
    const scale = 1 / Math.sqrt(variance + 1e-5);
    return row.map((value, d) => (value - centre) * scale * weight[d] + bias[d]);
  });
}

// Row `pos` of the sinusoid table: [D]. The package keeps it in float32, so it is rounded here.
function sinusoid(pos, D) {
  const angle = (d) => pos * Math.exp((d - (d % 2)) * (-Math.log(10000) / D));
  return Array.from({ length: D }, (_, d) =>
    Math.fround(d % 2 ? Math.cos(angle(d)) : Math.sin(angle(d))),
  );
}

// The vector of one token at one position: [D]
function embed(id, pos, { weight }) {
  const D = weight[0].length;
  const position = sinusoid(pos, D);
  return weight[id].map((value, d) => value * Math.sqrt(D) + position[d]);
}

// Q [Lq, d_k], K [Lk, d_k], V [Lk, d_k] of one head -> context [Lq, d_k] and weights [Lq, Lk]
function scaledDotProductAttention(Q, K, V) {
  const root = Math.sqrt(Q[0].length);
  const weights = Q.map((query) => softmax(K.map((key) => dot(query, key) / root)));
  const context = weights.map((row) =>
    V[0].map((_, d) => row.reduce((sum, weight, j) => sum + weight * V[j][d], 0)),
  );
  return { context, weights };
}

// [L, D] -> [H, L, d_k]
function splitHeads(x, heads) {
  const size = x[0].length / heads;
  return Array.from({ length: heads }, (_, h) =>
    x.map((row) => row.slice(h * size, (h + 1) * size)),
  );
}

// [H, L, d_k] -> [L, D]
function combineHeads(x) {
  return x[0].map((_, i) => x.flatMap((head) => head[i]));
}

// What an attention asks of [Lk, D]: its keys and values, so that generation can keep them.
function project(x, layer) {
  return { K: linear(x, layer.W_k), V: linear(x, layer.W_v) };
}

// Q [Lq, D], projected K and V [Lk, D] -> output [Lq, D] and weights [H, Lq, Lk]
function multiHeadAttention(Q, { K, V }, layer, heads) {
  const [q, k, v] = [linear(Q, layer.W_q), K, V].map((x) => splitHeads(x, heads));
  const each = q.map((_, h) => scaledDotProductAttention(q[h], k[h], v[h]));
  const output = linear(combineHeads(each.map(({ context }) => context)), layer.W_out);
  return { output, weights: each.map(({ weights }) => weights) };
}

function feedForward(x, { linear1, linear2 }) {
  const wide = linear(x, linear1).map((row) => row.map((value) => Math.max(value, 0))); // [L, d_ff]
  return linear(wide, linear2);
}

function encoderLayer(x, layer, heads) {
  const self = multiHeadAttention(x, project(x, layer.self_attn), layer.self_attn, heads);
  x = layerNorm(add(x, self.output), layer.norm1);
  x = layerNorm(add(x, feedForward(x, layer.feed_forward)), layer.norm2);
  return { x, self: self.weights };
}

// x is the newest position alone, [1, D]. It may look at all earlier ones, whose keys and
// values are in `past`, so it needs no causal mask.
function decoderLayer(x, past, layer, heads) {
  const { K, V } = project(x, layer.self_attn);
  past.self.K.push(...K);
  past.self.V.push(...V);
  const self = multiHeadAttention(x, past.self, layer.self_attn, heads);
  x = layerNorm(add(x, self.output), layer.norm1);
  const cross = multiHeadAttention(x, past.memory, layer.cross_attn, heads);
  x = layerNorm(add(x, cross.output), layer.norm2);
  x = layerNorm(add(x, feedForward(x, layer.feed_forward)), layer.norm3);
  return { x, self: self.weights, cross: cross.weights };
}

// The newest position of a language model, [1, D]: a decoder layer without cross-attention.
function causalLayer(x, past, layer, heads) {
  const { K, V } = project(x, layer.self_attn);
  past.K.push(...K);
  past.V.push(...V);
  const self = multiHeadAttention(x, past, layer.self_attn, heads);
  x = layerNorm(add(x, self.output), layer.norm1);
  return layerNorm(add(x, feedForward(x, layer.feed_forward)), layer.norm2);
}

// src [Ls] -> memory [Ls, D], and the weights of each layer [layers, H, Ls, Ls]
function encode(src, model, heads) {
  let memory = src.map((id, pos) => embed(id, pos, model.src_embedding));
  const maps = model.encoder.map((layer) => {
    const after = encoderLayer(memory, layer, heads);
    memory = after.x;
    return after.self;
  });
  return { memory, maps };
}

// What the decoder's layers remember while they write one answer.
function startDecoding(memory, model) {
  return model.decoder.map((layer) => ({
    self: { K: [], V: [] },
    memory: project(memory, layer.cross_attn),
  }));
}

// One token at one position -> logits [V] of the next, and the weights of its row:
// self [layers, H, pos + 1], cross [layers, H, Ls]
function decode(id, pos, past, model, heads) {
  let x = [embed(id, pos, model.tgt_embedding)]; // [1, D]
  const layers = model.decoder.map((layer, n) => {
    const after = decoderLayer(x, past[n], layer, heads);
    x = after.x;
    return after;
  });
  return {
    logits: linear(x, model.to_logits)[0],
    self: layers.map((layer) => layer.self.map(([row]) => row)),
    cross: layers.map((layer) => layer.cross.map(([row]) => row)),
  };
}

// One token at one position of a language model -> logits [V] of the next. `past` has the keys
// and values of each layer, at first { K: [], V: [] }.
function continueText(id, pos, past, model, heads) {
  let x = [embed(id, pos, model.embedding)]; // [1, D]
  model.layers.forEach((layer, n) => {
    x = causalLayer(x, past[n], layer, heads);
  });
  return linear(x, model.to_logits)[0];
}

export { softmax, encode, startDecoding, decode, continueText };

// Files with trained weights, which `follow_the_tensor/weights.py` writes.

// The file as a DataView -> the model's parameters, and the texts that stand beside them.
// A safetensors file is the length of a header, the header in JSON, and the numbers.
function readWeights(file) {
  const start = 8 + Number(file.getBigUint64(0, true));
  const header = new Uint8Array(file.buffer, file.byteOffset + 8, start - 8);
  const { __metadata__: about, ...tensors } = JSON.parse(new TextDecoder().decode(header));
  const model = { encoder: [], decoder: [], layers: [] };
  for (const [name, { shape, data_offsets }] of Object.entries(tensors)) {
    const numbers = halves(file, ...data_offsets.map((offset) => start + offset));
    put(model, name.split("."), shape.length === 2 ? toRows(numbers, shape[1]) : numbers);
  }
  return { model, about };
}

function halves(file, from, to) {
  const numbers = [];
  for (let at = from; at < to; at += 2) numbers.push(fromHalf(file.getUint16(at, true)));
  return numbers;
}

// A number of 16 bits: one for the sign, five for the exponent, ten for the fraction.
function fromHalf(half) {
  const sign = half >> 15 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = (half & 1023) / 1024;
  return exponent ? sign * (1 + fraction) * 2 ** (exponent - 15) : sign * fraction * 2 ** -14;
}

function toRows(numbers, width) {
  const row = (n) => numbers.slice(n * width, (n + 1) * width);
  return Array.from({ length: numbers.length / width }, (_, n) => row(n));
}

// Put a value at encoder.0.norm1.weight, say.
function put(tree, [name, ...rest], value) {
  tree[name] ??= {};
  if (rest.length) put(tree[name], rest, value);
  else tree[name] = value;
}

export { readWeights };

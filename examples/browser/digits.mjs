// Pictures of digits: the MNIST files, and what a person draws brought into the form of theirs.

export const side = 28;
export const pixels = side * side;

// The leading digits of a pair of IDX files (a header of 16 or 8 bytes, then a byte per pixel or label).
export async function loadDigits(images, labels, count) {
  const read = async (url, header, size) => {
    const response = await fetch(url, { headers: { range: `bytes=0-${header + count * size - 1}` } });
    if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
    const bytes = new Uint8Array(await response.arrayBuffer(), header);
    if (bytes.length < count * size) throw new Error(`${url} holds less than ${count} digits`);
    return bytes;
  };
  return { images: await read(images, 16, pixels), labels: await read(labels, 8, 1), count };
}

// Digits [first, first + n) as numbers from 0 to 1.
export function slice(digits, first, n) {
  return Float32Array.from(digits.images.subarray(first * pixels, (first + n) * pixels), (v) => v / 255);
}

// A drawing (size x size brightnesses from 0 to 1) as MNIST's authors prepared theirs: the bounding box scaled into 20 x 20
// pixels, and its centre of mass in the middle of 28 x 28. All zeros when nothing is drawn.
export function normalise(drawing, size) {
  const result = new Float32Array(pixels);
  let left = size, right = -1, top = size, bottom = -1;
  for (let y = 0; y < size; ++y)
    for (let x = 0; x < size; ++x)
      if (drawing[y * size + x] > 0.05) {
        left = Math.min(left, x);
        right = Math.max(right, x);
        top = Math.min(top, y);
        bottom = Math.max(bottom, y);
      }
  if (right < 0) return result;
  const scale = Math.max(right - left + 1, bottom - top + 1) / 20;
  let mass = 0, massX = 0, massY = 0;
  for (let y = top; y <= bottom; ++y)
    for (let x = left; x <= right; ++x) {
      const v = drawing[y * size + x];
      mass += v;
      massX += v * (x + 0.5);
      massY += v * (y + 0.5);
    }
  const originX = massX / mass - (side / 2) * scale, originY = massY / mass - (side / 2) * scale;
  for (let y = 0; y < side; ++y)
    for (let x = 0; x < side; ++x) {
      // The mean of the drawing under the pixel.
      const x0 = Math.max(0, Math.floor(originX + x * scale)), x1 = Math.min(size, Math.ceil(originX + (x + 1) * scale));
      const y0 = Math.max(0, Math.floor(originY + y * scale)), y1 = Math.min(size, Math.ceil(originY + (y + 1) * scale));
      let sum = 0, n = 0;
      for (let sy = y0; sy < y1; ++sy)
        for (let sx = x0; sx < x1; ++sx, ++n) sum += drawing[sy * size + sx];
      result[y * side + x] = n > 0 ? sum / n : 0;
    }
  return result;
}

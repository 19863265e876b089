// What the exported files sample: names of the columns of their output `parameters`.
const numbered = (name, n) => Array.from({ length: n }, (_, i) => `${name}[${i + 1}]`);

export const models = {
  eight_schools: { title: 'Eight schools', parameters: ['mu', 'tau', ...numbered('theta', 8)] },
  seeds: { title: 'Seeds: hierarchical logistic regression', parameters: ['a0', 'a1', 'a2', 'a12', 's'] },
  gaussian_process: { title: 'Gaussian process', parameters: ['length', 'amplitude', 'noise'] },
};

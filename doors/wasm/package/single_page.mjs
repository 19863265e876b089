// The page beside a module for one model: runs it on made-up inputs.
const escaped = (s) => s.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

export const page = (title, model) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; }
  td, th { padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
</style>
<h1>${escaped(title)}</h1>
<p id="state">Loading</p>
<table id="inputs"></table>
<p><button id="run" disabled>Run on random inputs</button></p>
<table id="outputs"></table>
<script type="module">
  import * as tc from './index.mjs';

  const element = (id) => document.getElementById(id);
  const row = (table, cells) => {
    const line = table.insertRow();
    for (const text of cells) line.insertCell().textContent = text;
  };
  const start = performance.now();
  try {
    const session = await tc.InferenceSession.create(${JSON.stringify(model)});
    element('state').textContent = 'Loaded in ' + (performance.now() - start).toFixed(1) + ' ms';
    for (const { name, type, shape } of session.inputMetadata) row(element('inputs'), [name, type + ' [' + shape + ']']);
    const made = ({ type, shape }) => {
      const n = shape.reduce((a, b) => a * b, 1);
      if (type === 'string') return new tc.Tensor(type, Array(n).fill(''), shape);
      if (type === 'float16') return new tc.Tensor(type, new Uint16Array(n), shape);
      return new tc.Tensor(type, Array.from({ length: n }, () => (type.startsWith('float') ? Math.random() : 0)), shape);
    };
    element('run').onclick = async () => {
      const feeds = Object.fromEntries(session.inputMetadata.map((m) => [m.name, made(m)]));
      const begin = performance.now();
      const outputs = await session.run(feeds);
      const ms = performance.now() - begin;
      element('state').textContent = 'One run: ' + ms.toFixed(2) + ' ms';
      element('outputs').replaceChildren();
      for (const [name, { type, dims, data }] of Object.entries(outputs))
        row(element('outputs'), [name, type + ' [' + dims + ']', [...data.slice(0, 10)].join(', ') + (data.length > 10 ? ', …' : '')]);
    };
    element('run').disabled = false;
  } catch (error) {
    element('state').textContent = error.message;
  }
</script>
</html>
`;

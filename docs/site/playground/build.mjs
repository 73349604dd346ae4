import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../../..')

const settings = {
  bundle: true,
  minify: true,
  target: 'es2022',
  format: 'iife',
  legalComments: 'none',
  inject: [join(root, 'build/page-jsx.mjs')],
  tsconfigRaw: { compilerOptions: { jsx: 'react', jsxFactory: 'h', jsxFragmentFactory: 'Fragment' } },
}

/**
 * Writes the playground into a folder: `playground.js`, a classic script that makes the global `GameServerPlayground`, and
 * `playground.css`. Neither loads anything, so both work from any path and from `file:`.
 */
export async function buildPlayground(outDir) {
  await build({
    ...settings,
    entryPoints: [join(here, 'playground.ts')],
    outdir: outDir,
    globalName: 'GameServerPlayground',
    plugins: [workerAsText, scopedStyles],
  })
}

/** `import { script } from 'worker-script'` gives the worker with the client inside, as text. */
const workerAsText = {
  name: 'worker-as-text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^worker-script$/ }, () => ({ path: join(here, 'worker.ts'), namespace: 'worker' }))
    onLoad({ filter: /.*/, namespace: 'worker' }, async ({ path }) => {
      const { outputFiles } = await build({ ...settings, entryPoints: [path], write: false, plugins: [oneClient] })
      return { contents: `export const script = ${JSON.stringify(outputFiles[0].text)}` }
    })
  },
}

/** Has the players' entry use the same client as the code. */
const oneClient = {
  name: 'one-client',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/index\.js$/ }, () => ({ path: join(root, 'src/index.core.ts') }))
  },
}

/**
 * The dashboard's style is that of a whole page. Here it holds within `.gsp`, above the site's own rules, and follows the
 * width of its panel and the colour scheme of the site.
 */
const scopedStyles = {
  name: 'scoped-styles',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const css = await readFile(path, 'utf8')
      if (basename(path) === 'playground.css') return { contents: css, loader: 'css' }
      const scoped = css
        .replaceAll(':root', '&')
        .replace('color-scheme: light dark;', '')
        // Rows of the timeline get narrow before the panels beside them go.
        .replaceAll('(max-width: 819px)', `(max-width: ${basename(path) === 'timeline.css' ? 1000 : 679}px)`)
        .replaceAll('@media (max-width', '@container gsp-dashboard (max-width')
      return { contents: `.gsp:not(#_) {\n${scoped}\n}`, loader: 'css' }
    })
  },
}

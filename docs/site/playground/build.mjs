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
  metafile: true,
  legalComments: 'none',
  inject: [join(root, 'build/page-jsx.mjs')],
  tsconfigRaw: { compilerOptions: { jsx: 'react', jsxFactory: 'h', jsxFragmentFactory: 'Fragment' } },
}

/**
 * Writes the playground into a folder: `playground.js`, a classic script that defines the global
 * `GameServerPlayground`, and `playground.css`. Neither loads other files, so both work at any path and from `file:`.
 *
 * @returns the names of the packages that are in it
 */
export async function buildPlayground(outDir) {
  const files = []
  const { metafile } = await build({
    ...settings,
    entryPoints: [join(here, 'playground.ts')],
    outdir: outDir,
    globalName: 'GameServerPlayground',
    plugins: [workerAsText(files), scopedStyles],
  })
  files.push(...Object.keys(metafile.inputs))
  return new Set(files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []))
}

/** Provides the module `worker-script`: the text of the worker's script, with the client inside. */
const workerAsText = (files) => ({
  name: 'worker-as-text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^worker-script$/ }, () => ({ path: join(here, 'worker.ts'), namespace: 'worker' }))
    onLoad({ filter: /.*/, namespace: 'worker' }, async ({ path }) => {
      const worker = { ...settings, entryPoints: [path], write: false, plugins: [oneClient] }
      const { outputFiles, metafile } = await build(worker)
      files.push(...Object.keys(metafile.inputs))
      return { contents: `export const script = ${JSON.stringify(outputFiles[0].text)}` }
    })
  },
})

/** Lets the code and the entry for players share one copy of the client. */
const oneClient = {
  name: 'one-client',
  setup({ onResolve }) {
    onResolve({ filter: /index\.js$/ }, ({ path, resolveDir }) =>
      join(resolveDir, path) === join(root, 'src/index.js') ? { path: join(root, 'src/index.core.ts') } : undefined,
    )
  },
}

/**
 * Scopes the dashboard's styles, which are written for a whole page, to `.gsp`. There they win over the site's rules,
 * and follow the site's colour scheme and the width of the dashboard's panel.
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
        // The timeline drops columns before the panels beside it disappear.
        .replaceAll('(max-width: 819px) /* timeline */', '(max-width: 1000px)')
        .replaceAll('(max-width: 819px)', '(max-width: 679px)')
        .replaceAll('@media (max-width', '@container gsp-dashboard (max-width')
      return { contents: `.gsp:not(#_) {\n${scoped}\n}`, loader: 'css' }
    })
  },
}

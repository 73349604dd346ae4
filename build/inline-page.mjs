import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { build, transformSync } from 'esbuild'
import { minifySync } from 'vite'

const SUFFIX = /\?(\w+)&page$/
/** A prefix that other plugins leave alone. */
const PREFIX = '\0page:'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/**
 * `import { brotli, hashes } from './index.html?fleet&page'` gives a whole page, compressed at the best level: the HTML
 * file with the script `main.tsx` and its styles inside, and the hashes of both for a Content-Security-Policy. The script
 * is built for one route, which it knows as `ROUTE`. A plugin for Rollup and Vite, so that the build and the tests use
 * the same page; `quick` makes it larger, in a tenth of the time.
 */
export const inlinePage = ({ quick = false } = {}) => ({
  name: 'inline-page',
  enforce: 'pre',
  resolveId: (id, importer) => (SUFFIX.test(id) ? PREFIX + resolve(dirname(importer), id) : null),
  async load(id) {
    if (!id.startsWith(PREFIX)) return null
    const [query, route] = SUFFIX.exec(id)
    const template = id.slice(PREFIX.length, -query.length)
    const { outputFiles, metafile } = await build({
      entryPoints: [resolve(dirname(template), 'main.tsx')],
      outdir: dirname(template),
      bundle: true,
      write: false,
      minify: quick,
      metafile: true,
      target: 'es2022',
      // Children as arguments make a smaller script than children in an object.
      inject: [fileURLToPath(new URL('./page-jsx.mjs', import.meta.url))],
      tsconfigRaw: { compilerOptions: { jsx: 'react', jsxFactory: 'h', jsxFragmentFactory: 'Fragment' } },
      format: 'iife',
      define: { ROUTE: JSON.stringify(route) },
      legalComments: 'none',
    })
    for (const file of [template, ...Object.keys(metafile.inputs).map((file) => resolve(file))]) {
      this.addWatchFile?.(file)
    }
    const output = (extension) => outputFiles.find(({ path }) => path.endsWith(extension))?.text.trim() ?? ''
    const built = output('.js')
    const code = quick
      ? built
      : minifySync('page.js', built, { compress: { target: 'es2022', treeshake: { propertyReadSideEffects: false } } })
          .code
    // Text that would end the element early can't be in it.
    const script = code.replaceAll('</script', String.raw`<\/script`)
    const style = transformSync(output('.css'), { loader: 'css', minify: true }).code.trim()
    const pageId = hash(script + style).slice(7, 23)
    const html = readFileSync(template, 'utf8')
      .replace(/<!-- (?!meta|style|script).*? -->/g, '')
      .replace(/>\s+</g, '><')
      .replace(
        '<!-- meta -->',
        () => `<meta name="version" content="${version}" /><meta name="page-id" content="${pageId}" />`,
      )
      .replace('<!-- style -->', () => `<style>${style}</style>`)
      .replace('<!-- script -->', () => `<script>${script}</script>`)
    const brotli = brotliCompressSync(html, quick ? { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } } : {})
    return `export const brotli = ${JSON.stringify(brotli.toString('base64'))}
export const id = ${JSON.stringify(pageId)}
export const hashes = ${JSON.stringify({ script: hash(script), style: hash(style) })}
`
  },
})

const hash = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`

import { dirname, resolve } from 'node:path'
import { build } from 'esbuild'

const SUFFIX = '?script'
/** A prefix that other plugins leave alone. */
const PREFIX = '\0script:'

/**
 * `import { script } from './entry.ts?script'` gives a whole program for a page as text: the entry and all that it
 * imports, in one minified script. A plugin for Rollup and Vite, so that the build and the tests use the same script.
 */
export const inlineScript = () => ({
  name: 'inline-script',
  enforce: 'pre',
  resolveId: (id, importer) => (id.endsWith(SUFFIX) ? PREFIX + resolve(dirname(importer), id) : null),
  async load(id) {
    if (!id.startsWith(PREFIX)) return null
    const entry = id.slice(PREFIX.length, -SUFFIX.length)
    const { outputFiles, metafile } = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      minify: true,
      metafile: true,
      target: 'es2022',
      format: 'iife',
    })
    for (const file of Object.keys(metafile.inputs)) this.addWatchFile?.(resolve(file))
    return `export const script = ${JSON.stringify(outputFiles[0].text.trim())}\n`
  },
})

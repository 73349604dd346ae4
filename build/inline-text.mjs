import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const SUFFIX = '?text'
/** A prefix that other plugins leave alone. */
const PREFIX = '\0text:'

/** `import { text } from './file.yaml?text'` gives a file's text. A plugin for Rollup and Vite. */
export const inlineText = () => ({
  name: 'inline-text',
  enforce: 'pre',
  resolveId: (id, importer) => (id.endsWith(SUFFIX) ? PREFIX + resolve(dirname(importer), id) : null),
  load(id) {
    if (!id.startsWith(PREFIX)) return null
    const file = id.slice(PREFIX.length, -SUFFIX.length)
    this.addWatchFile?.(file)
    return `export const text = ${JSON.stringify(readFileSync(file, 'utf8'))}\n`
  },
})

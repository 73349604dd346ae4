/**
 * The public types of each entry without their comments, in build/api, so that a review sees when they change.
 *
 *   npm run docs:api
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { buildIfStale } from './build-if-stale.mjs'

const folder = 'build/api'

/** What package.json exports, each with the declarations that `dist` has for it. */
export function entriesOf(root) {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.keys(exports)
    .filter((path) => path !== './package.json')
    .map((path) => {
      const file = path === '.' ? 'index' : path.slice(2)
      const types = ['d.cts', 'd.ts']
        .map((end) => join(root, 'dist', `${file}.${end}`))
        .find((path) => existsSync(path))
      return { entry: path.replace(/^\./, name), name: file, types }
    })
}

/** @returns the reports, by the name of their file */
export function apiReports(root) {
  const printer = ts.createPrinter({ removeComments: true })
  return Object.fromEntries(
    entriesOf(root).map(({ entry, name, types }) => {
      const source = ts.createSourceFile(types, readFileSync(types, 'utf8'), ts.ScriptTarget.Latest)
      return [`${name}.api.md`, `# ${entry}\n\n\`\`\`ts\n${printer.printFile(source).trim()}\n\`\`\`\n`]
    }),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  await buildIfStale()
  rmSync(join(root, folder), { recursive: true, force: true })
  mkdirSync(join(root, folder))
  for (const [file, text] of Object.entries(apiReports(root))) writeFileSync(join(root, folder, file), text)
}

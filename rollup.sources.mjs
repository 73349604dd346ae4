/** What a source map leads to: the sources that some build is made of, packed once for all of them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import ts from 'typescript'

/** Sources, relative to the project, that a map has named in this build. */
const named = new Set()

/**
 * Source maps that lead to the line, not to the column: a fifth of the bytes. The sources themselves are packed once,
 * in `dist/src`, instead of in each map.
 */
export const lineMaps = () => ({
  name: 'line-maps',
  generateBundle({ dir, file: path }, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'asset' || !file.fileName.endsWith('.map')) continue
      const map = JSON.parse(file.source)
      const mappings = encode(decode(map.mappings).map(firstOfEachLine))
      const folder = dirname(join(dir ?? dirname(path), file.fileName))
      const sources = map.sources.map((source) => packedSource(folder, source))
      file.source = JSON.stringify({ ...map, names: [], sources, sourcesContent: undefined, mappings })
    }
  },
})

/** For what is readable as it is; the compiler, which is shared, makes maps of everything. */
export const withoutMaps = () => ({
  name: 'without-maps',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.fileName.endsWith('.map')) delete bundle[file.fileName]
      else if (file.type === 'chunk') file.code = file.code.replace(/\/\/# sourceMappingURL=\S+\n?$/, '')
    }
  },
})

function packedSource(folder, source) {
  const path = join(folder, source)
  if (!path.startsWith(join('src', '/'))) return source
  named.add(path)
  return relative(folder, join('dist', path)).replaceAll('\\', '/')
}

const firstOfEachLine = (segments) =>
  segments
    .filter((segment) => segment.length > 1)
    .filter(([, source, line], i, all) => i === 0 || all[i - 1][1] !== source || all[i - 1][2] !== line)
    .map((segment) => segment.slice(0, 4))

/** Writes the sources that maps lead to, and gives their paths. */
export function packSources(dir) {
  return [...named].map((source) => {
    const path = join(dir, source)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, withoutComments(readFileSync(source, 'utf8')))
    return path
  })
}

/** The same code on the same lines: a fifth of the sources is comments, and those are in the types as well. */
function withoutComments(text) {
  const file = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest)
  let bare = ''
  const visit = (node) => {
    const parts = node.getChildren(file).filter(({ kind }) => kind !== ts.SyntaxKind.JSDoc)
    if (parts.length > 0) return parts.forEach(visit)
    const start = node.getStart(file)
    const blanks = text
      .slice(node.getFullStart(), start)
      .replace(/\S[^]*\S|\S/, (comments) => comments.replace(/[^\n]/g, ''))
    bare += blanks + text.slice(start, node.end)
  }
  visit(file)
  return bare.replace(/[ \t]+$/gm, '')
}

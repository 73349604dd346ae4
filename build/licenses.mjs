/** Which libraries are bundled, and the text of `third-party-licenses.txt` about them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGE = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/

/** Collects the packages of all files that builds read, by `collect`; `write`, in the last of them, writes their licences. */
export function bundledLibraries() {
  const folders = new Set()
  return {
    collect: {
      name: 'collect-libraries',
      generateBundle() {
        for (const file of this.getWatchFiles()) {
          const folder = PACKAGE.exec(file.replaceAll('\\', '/'))?.[0]
          if (folder) folders.add(folder)
        }
      },
    },
    write: {
      name: 'write-licenses',
      generateBundle: {
        order: 'post',
        handler() {
          this.emitFile({ type: 'asset', fileName: 'third-party-licenses.txt', source: licenseText(folders) })
        },
      },
    },
    /** Each library is a chunk of its own, so that a command reads only those that it needs. */
    chunk: (id) => {
      const name = PACKAGE.exec(id)?.[1]
      return name && `vendor-${name.replace('@', '').replace(/\/.*/, '')}`
    },
  }
}

/**
 * What is bundled, a package URL a line, which audits and scanners read, since an audit of an installation doesn't see
 * inside the bundles; then each licence once, with all libraries that are under it.
 */
function licenseText(folders) {
  const libraries = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    return { name, version, license, text: file ? readFileSync(join(folder, file), 'utf8') : '' }
  })
  const groups = new Map()
  for (const { name, version, license, text } of libraries) {
    const copyrights = text.match(COPYRIGHT)?.map((line) => `  ${line.trim()}`) ?? []
    const terms = text.replace(COPYRIGHT, '').replace(TITLE, '').replace(/\s+/g, ' ').trim()
    groups.set(terms, [...(groups.get(terms) ?? []), `${name} ${version}, ${license}`, ...copyrights])
  }
  const bundled = libraries.map(({ name, version }) => `pkg:npm/${name}@${version}`).sort()
  const terms = [...groups].map(([text, lines]) => `${lines.join('\n')}\n\n${text}\n`)
  return [`Bundled into this package:\n\n${bundled.join('\n')}\n`, ...terms].join('\n\n')
}

const COPYRIGHT = /^\s*Copyright \(c\).*$/gim
const TITLE = /^\W*(The )?MIT License\W*$/gim

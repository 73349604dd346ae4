/** Which pages the site has, where each stands in the navigation, and what the links between them become. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join, posix } from 'node:path'

/** The page that a path on the site belongs to: `path` has no extension, `source` is relative to the repository. */
const pageOf = (source, path, text) => ({
  source,
  path,
  text,
  title: /^# (.+)$/m.exec(text)?.[1].replace(/[`*]|\\(?=.)/g, '') ?? path,
})

/** README.md is the front page, docs/README.md the index of the documentation. */
export function readPages(root) {
  const docs = join(root, 'docs')
  const names = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md') && !name.startsWith('site/'))
    .sort()
  const read = (source, path) => pageOf(source, path, readFileSync(join(root, source), 'utf8'))
  return [
    read('README.md', 'index'),
    ...names.map((name) => read(`docs/${name}`, name === 'README.md' ? 'docs' : name.slice(0, -'.md'.length))),
  ]
}

/** The pages that a folder gets from elsewhere, as TypeDoc's: `[name, text]` each. */
export const pagesIn = (folder, texts) =>
  texts.map(([name, text]) => pageOf(`docs/${folder}/${name}.md`, `${folder}/${name}`, text))

/**
 * Sections of the navigation. An entry that ends with `/` stands for a folder's pages. A page that nothing names is in
 * the last section for its folder, or in `More`.
 */
export function arrange(pages, navigation, onMissing) {
  const left = new Map(pages.filter(({ path }) => path !== 'index' && path !== 'docs').map((page) => [page.path, page]))
  const take = (paths) => paths.map((path) => [left.get(path), left.delete(path)][0])
  const named = Object.values(navigation)
    .flat()
    .filter((entry) => !entry.endsWith('/'))
  for (const path of named) if (!left.has(path)) onMissing(`navigation.json names ${path}, and docs has no such page.`)
  const sections = Object.entries(navigation).map(([title, entries]) => ({
    title,
    pages: entries.flatMap((entry) =>
      entry.endsWith('/')
        ? take([...left.keys()].filter((path) => dirname(path) === entry.slice(0, -1) && !named.includes(path)))
        : take(left.has(entry) ? [entry] : []),
    ),
  }))
  const more = sections.find(({ title }) => title === 'More')
  more.pages.push(...left.values())
  return sections.filter(({ pages }) => pages.length > 0)
}

const CODE_OR_LINK = /(^`{3,})[^]*?^\1`*$|(`+)[^`]+\2|(!?)\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)/gm

/**
 * The text of a page with its links as they are on the site: a page by its Markdown file there, and a file that the site
 * doesn't have by its name alone. Pictures are collected for copying.
 */
export function relink(page, pages, root, pictures) {
  const bySource = new Map(pages.map((other) => [other.source, other]))
  return page.text.replace(CODE_OR_LINK, (whole, fence, code, picture, text, target) => {
    if (target === undefined || /^([a-z]+:|#|\/\/)/i.test(target)) return whole
    const [file, anchor] = target.split('#')
    const source = posix.join(dirname(page.source), file)
    if (picture) {
      if (!existsSync(join(root, source))) return text
      pictures.add(source)
      return `![${text}](${toRoot(page)}images/${basename(source)})`
    }
    const other = bySource.get(source) ?? bySource.get(`${source}/README.md`)
    if (!other) return text
    // The front page's sections have other names from one release to the next.
    const hash = anchor && other.path !== 'index' ? `#${anchor}` : ''
    return `[${text}](${toRoot(page)}${other.path}.md${hash})`
  })
}

/** From a page to the root of the site. */
export const toRoot = ({ path }) => '../'.repeat(path.split('/').length - 1)

/** Where a link of the Markdown twin leads in HTML. */
export const toHtml = (href) =>
  /^([a-z]+:|\/\/)/i.test(href) || extname(href.split('#')[0]) !== '.md' ? href : href.replace(/\.md(?=#|$)/, '.html')

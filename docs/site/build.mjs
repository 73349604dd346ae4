/**
 * Builds the site from README.md, docs and the types of each entry; `npm run docs:build` writes it to the folder `site`.
 *
 *   node docs/site/build.mjs [folder]
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildIfStale } from '../../build/build-if-stale.mjs'
import { readReference } from './api.mjs'
import { layout } from './layout.mjs'
import { createRenderer } from './markdown.mjs'
import { arrange, pagesIn, readPages, relink } from './pages.mjs'
import { buildPlayground } from './playground/build.mjs'

const site = import.meta.dirname
const root = join(site, '..', '..')
const require = createRequire(import.meta.url)

/**
 * @param out the folder to write, which is emptied first
 * @param onMissing called with a sentence for a page that the navigation names and docs doesn't have
 * @param reference what an earlier build returned; the types are not read again
 */
export async function buildSite({ out = join(root, 'site'), onMissing = refuseUnderCi, reference } = {}) {
  await buildIfStale()
  reference ??= await readReference(root)
  const pages = [...readPages(root), ...pagesIn('api', reference)]
  const sections = arrange(pages, JSON.parse(readFileSync(join(site, 'navigation.json'), 'utf8')), onMissing)
  const order = sections.flatMap((section) => section.pages)
  const render = await createRenderer()
  const pictures = new Set()
  const write = (path, text) => {
    mkdirSync(dirname(join(out, path)), { recursive: true })
    writeFileSync(join(out, path), text)
  }

  rmSync(out, { recursive: true, force: true })
  const rendered = pages.map((page) => {
    const text = relink(page, pages, root, pictures)
    const linkOf = (code) => relativeLink(page, pages, code)
    const parts = { page, ...render(text, linkOf) }
    parts.summary ||= `The reference of ${page.title}.`
    write(`${page.path}.md`, text)
    write(`${page.path}.html`, layout({ ...parts, sections, order, pages }))
    return parts
  })
  write('assets/search.js', searchScript(rendered))
  write('llms.txt', llms(rendered, sections))
  for (const name of ['style.css', 'site.js']) copyFileSync(join(site, 'assets', name), join(out, 'assets', name))
  mkdirSync(join(out, 'images'), { recursive: true })
  for (const picture of pictures) copyFileSync(join(root, picture), join(out, 'images', basename(picture)))
  const bundled = await buildPlayground(join(out, 'playground'))
  write('licenses.txt', ['minisearch', ...bundled].map(notice).join('\n\n'))
  return { reference, pages: pages.map(({ path }) => path) }
}

function refuseUnderCi(sentence) {
  if (process.env.CI) throw new Error(sentence)
  console.warn(sentence)
}

/** `docs/host.md` in a sentence, as the README names pages. */
function relativeLink(page, pages, code) {
  const other = /^docs\/\S+\.md$/.test(code) && pages.find(({ source }) => source === code)
  return other ? `${'../'.repeat(page.path.split('/').length - 1)}${other.path}.md` : undefined
}

/** MiniSearch, and the text of each section. The index is made in the browser, since it would be larger than the text. */
function searchScript(rendered) {
  const texts = rendered.flatMap(({ page, sections }) =>
    sections.map(({ id, heading, text }) => ({ at: `${page.path}.html#${id}`, page: page.title, heading, text })),
  )
  const umd = join(dirname(require.resolve('minisearch')), '..', 'umd', 'index.js')
  const library = readFileSync(umd, 'utf8').replace(/^\/\/# sourceMappingURL.*$/m, '')
  return `${library}\nglobalThis.siteTexts=${JSON.stringify(texts)}\n`
}

function llms(rendered, sections) {
  const summaries = new Map(rendered.map(({ page, summary }) => [page, summary]))
  const line = (page) => `- [${page.title}](${page.path}.md): ${summaries.get(page)}`
  const blocks = sections.map(({ title, pages }) => `## ${title}\n\n${pages.map(line).join('\n')}`)
  return `# gameserver-sidecar\n\n> ${rendered[0].summary}\n\n${blocks.join('\n\n')}\n`
}

/** The notice of a package that a script of the site holds. */
function notice(name) {
  const folder = join(root, 'node_modules', name)
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { pages } = await buildSite({ out: process.argv[2] })
  console.log(`${pages.length} pages in ${process.argv[2] ?? 'site'}; open index.html, with or without a server.`)
}

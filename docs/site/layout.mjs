/** The HTML around a page. Every address is relative, so that the site works from any folder and from disk. */
import { toRoot } from './pages.mjs'

const escape = (text) =>
  text.replace(/[&<>"]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character])

export function layout({ page, html, headings, summary, sections, order, pages }) {
  const root = toRoot(page)
  const isFront = page.path === 'index'
  const hasIndex = pages.some(({ path }) => path === 'docs')
  const docs = `${root}${hasIndex ? 'docs' : order[0].path}.html`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(isFront ? page.title : `${page.title} · gameserver-sidecar`)}</title>
<meta name="description" content="${escape(summary)}">
<link rel="icon" href="data:,">
<link rel="alternate" type="text/markdown" href="${root}${page.path}.md">
<link rel="stylesheet" href="${root}assets/style.css">
<script defer src="${root}assets/site.js"></script>
</head>
<body${isFront ? ' class="front"' : ''}>
<a class="skip" href="#main">Skip to the text</a>
<header class="top">
<button class="button nav-open" popovertarget="nav">Menu</button>
<a class="brand" href="${root}index.html"><span class="mark" aria-hidden="true"></span>gameserver-sidecar</a>
<a class="top-link" href="${docs}">Docs</a>
<button class="button search-open" type="button" aria-keyshortcuts="/">Search <kbd aria-hidden="true">/</kbd></button>
</header>
<nav id="nav" popover aria-label="Documentation">
${hasIndex ? `<ul><li>${entry(root, page, { path: 'docs', title: 'All pages, by task' })}</li></ul>` : ''}
${sections.map((section) => navigationSection(root, page, section)).join('\n')}
</nav>
<main id="main" tabindex="-1">
<article>
${isFront ? front(html, docs) : html}
</article>
${isFront ? '' : neighbours(root, page, order)}
</main>
${isFront ? '' : contents(headings)}
<footer>Apache-2.0 · <a href="${root}${page.path}.md">This page as Markdown</a> · <a href="${root}llms.txt">llms.txt</a> · <a href="${root}licenses.txt">Licenses</a></footer>
<dialog id="search" aria-label="Search">
<form method="dialog"><input type="search" aria-label="Search the documentation" placeholder="Search the documentation" autocomplete="off" spellcheck="false"><button class="button">Close</button></form>
<p role="status"></p>
<ol></ol>
</dialog>
</body>
</html>
`
}

const entry = (root, page, other) =>
  `<a href="${root}${other.path}.html"${other.path === page.path ? ' aria-current="page"' : ''}>${escape(other.title)}</a>`

/** Long lists stay closed until one of their pages is open. */
function navigationSection(root, page, { title, pages }) {
  const list = `<ul>${pages.map((other) => `<li>${entry(root, page, other)}</li>`).join('')}</ul>`
  const isOpen = pages.includes(page) || !['API', 'Decisions', 'Internals'].includes(title)
  return `<details${isOpen ? ' open' : ''}><summary>${title}</summary>${list}</details>`
}

function contents(headings) {
  const parts = headings.filter(({ level }) => level === 2 || level === 3)
  if (parts.length < 2) return ''
  const items = parts.map(
    ({ id, text, level }) => `<li class="level-${level}"><a href="#${id}">${escape(text)}</a></li>`,
  )
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`
}

function neighbours(root, page, order) {
  const at = order.indexOf(page)
  if (at < 0) return ''
  const link = (other, rel, word) =>
    other ? `<a rel="${rel}" href="${root}${other.path}.html"><small>${word}</small>${escape(other.title)}</a>` : ''
  return `<nav class="neighbours" aria-label="Neighbouring pages">${link(order[at - 1], 'prev', 'Before')}${link(order[at + 1], 'next', 'Next')}</nav>`
}

/** README.md up to its first section is the top of the front page; the playground stands below it. */
function front(html, docs) {
  const [hero, ...rest] = html.split(/(?=<h2 )/)
  return `<div class="hero">${hero}<p class="actions"><a class="button primary" href="${docs}">Read the docs</a> <a class="button" href="#playground">Try it here</a></p></div>
<section id="playground" aria-labelledby="playground-title">
<h2 id="playground-title">Playground</h2>
<p>The sidecar and its dashboard in this page, beside code that you can change. Nothing is installed, and nothing is sent.</p>
<div class="playground-place"><button class="button primary" type="button">Open the playground</button></div>
</section>
${rest.join('')}`
}

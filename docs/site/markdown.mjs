/** From Markdown to HTML: anchors as on GitHub, code highlighted now and not in the browser, tables that scroll. */
import GithubSlugger from 'github-slugger'
import MarkdownIt from 'markdown-it'
import { createHighlighter } from 'shiki'
import { toHtml } from './pages.mjs'

const THEMES = { light: 'github-light-high-contrast', dark: 'github-dark-default' }
const LANGUAGES = ['diff', 'html', 'js', 'json', 'sh', 'ts', 'yaml', 'dockerfile']

/** @returns render(text, linkOfCode): the HTML, its headings, and its sections for the search */
export async function createRenderer() {
  const highlighter = await createHighlighter({ themes: Object.values(THEMES), langs: LANGUAGES })
  const highlight = (code, lang) =>
    highlighter.codeToHtml(code.trimEnd(), {
      lang: LANGUAGES.includes(lang) ? lang : 'text',
      themes: THEMES,
      defaultColor: 'light-dark()',
    })
  const markdown = new MarkdownIt({ html: true, highlight })
  const { rules } = markdown.renderer
  rules.heading_open = (tokens, i, options, env, self) => {
    const text = textOf(tokens[i + 1])
    const heading = { id: env.slugger.slug(text), text, level: Number(tokens[i].tag[1]) }
    env.headings.push(heading)
    tokens[i].attrSet('id', heading.id)
    return self.renderToken(tokens, i, options)
  }
  rules.heading_close = (tokens, i) => {
    const { id } = tokens[i - 2].attrs ? Object.fromEntries(tokens[i - 2].attrs) : {}
    return ` <a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a></${tokens[i].tag}>\n`
  }
  // An empty table heading becomes a plain cell.
  rules.th_open = (tokens, i, options, env, self) => {
    if (tokens[i + 1].content === '') tokens[i].tag = tokens[i + 2].tag = 'td'
    return self.renderToken(tokens, i, options)
  }
  rules.table_open = () => '<div class="table" tabindex="0"><table>\n'
  rules.table_close = () => '</table></div>\n'
  rules.link_open = (tokens, i, options, env, self) => {
    tokens[i].attrSet('href', toHtml(tokens[i].attrGet('href')))
    return self.renderToken(tokens, i, options)
  }
  // In an installed package a page is only named; here the name leads to it.
  rules.code_inline = (tokens, i, options, env) => {
    const code = `<code>${markdown.utils.escapeHtml(tokens[i].content)}</code>`
    const href = tokens[i - 1]?.type === 'link_open' ? undefined : env.linkOf(tokens[i].content)
    return href ? `<a href="${toHtml(href)}">${code}</a>` : code
  }
  return (text, linkOf) => {
    const env = { slugger: new GithubSlugger(), headings: [], linkOf }
    const tokens = markdown.parse(text, env)
    const html = markdown.renderer.render(tokens, markdown.options, env)
    return { html, headings: env.headings, sections: sectionsOf(tokens, env.headings), summary: summaryOf(tokens) }
  }
}

const textOf = (inline) =>
  (inline.children ?? [])
    .map((token) => (token.type === 'softbreak' ? ' ' : token.type === 'html_inline' ? '' : token.content))
    .join('')

/** The text under each heading; deeper ones than the third level belong to the section that they are in. */
function sectionsOf(tokens, headings) {
  const sections = []
  let seen = 0
  for (const [i, token] of tokens.entries()) {
    const heading = tokens[i - 1]?.type === 'heading_open' ? headings[seen++] : undefined
    if (heading && heading.level <= 3) sections.push({ ...heading, body: [] })
    else if (token.type === 'inline') sections.at(-1)?.body.push(textOf(token))
    else if (token.type === 'fence') sections.at(-1)?.body.push(token.content)
  }
  return sections.map(({ id, text, body }) => ({ id, heading: text, text: body.join(' ').replace(/\s+/g, ' ') }))
}

/** The first sentence. */
function summaryOf(tokens) {
  const first = tokens.findIndex(
    (token, i) => token.type === 'paragraph_open' && token.level === 0 && textOf(tokens[i + 1]).length > 20,
  )
  return first < 0 ? '' : /^.*?[.:](?= |$)|^.*/.exec(textOf(tokens[first + 1]))[0].replace(/:$/, '.')
}

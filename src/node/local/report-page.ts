import type { ReportLine } from '../../sidecar/index.js'
import { pageText, pageHashes } from './dashboard-page.js'

/** A session as one HTML file: the dashboard's page with the lines inside it, which opens from a disk. */
export function* reportTexts(lines: Iterable<ReportLine>): Generator<string, void> {
  const page = pageText()
  const head = page.indexOf('<head>') + '<head>'.length
  const body = page.indexOf('<body>', head) + '<body>'.length
  yield `${page.slice(0, head)}<meta http-equiv="Content-Security-Policy" content="${policy}" />`
  yield `${page.slice(head, body)}<script id="recording" type="application/x-ndjson">\n`
  for (const line of lines) yield `${inertJson(line)}\n`
  yield `</script>${page.slice(body)}`
}

/** No server sends a file's headers. A file loads nothing, and connects to nobody. */
const policy = [
  `default-src 'none'`,
  `script-src '${pageHashes.script}'`,
  `style-src '${pageHashes.style}'`,
  `img-src data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
].join('; ')

/** JSON as the text of a script element: nothing ends that, or begins a comment in it, without a `<`. */
export const inertJson = (value: object): string => JSON.stringify(value).replaceAll('<', String.raw`\u003c`)

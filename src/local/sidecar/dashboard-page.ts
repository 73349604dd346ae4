import * as dashboard from '../../dashboard/index.html?page'
import type { ReportLine } from '../../platform/sidecar.js'
import { inlinedPage } from './dashboard-route.js'

export const page = inlinedPage(dashboard)

/** A session as one HTML file: the dashboard's page with the lines inside it, which opens from a disk. */
export function* reportTexts(lines: Iterable<ReportLine>): Generator<string, void> {
  const html = page.text()
  const head = html.indexOf('<head>') + '<head>'.length
  const body = html.indexOf('<body>', head) + '<body>'.length
  // A file has no headers, so its policy is inside: the page loads nothing and connects to nobody.
  yield `${html.slice(0, head)}<meta http-equiv="Content-Security-Policy" content="${page.policy()}" />`
  yield `${html.slice(head, body)}<script id="recording" type="application/x-ndjson">\n`
  for (const line of lines) yield `${inertJson(line)}\n`
  yield `</script>${html.slice(body)}`
}

/** JSON as the text of a script element: without a `<`, nothing ends the element or begins a comment in it. */
export const inertJson = (value: object): string => JSON.stringify(value).replaceAll('<', String.raw`\u003c`)

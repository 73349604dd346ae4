import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'puppeteer-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The dark scheme differs in its colours alone. */
const schemes = [
  ['dark', { runOnly: ['color-contrast'] }],
  ['light', {}],
] as const

/** What axe finds in a part of a page in both colour schemes, one a line. Needs a Chromium, which emulates the schemes. */
export async function violations(page: Page, part = 'html'): Promise<string[]> {
  const found: string[] = []
  // A page's policy may forbid scripts, so axe comes in through the devtools.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe)
  for (const [scheme, rules] of schemes) {
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      // Otherwise axe would see the colours of an unfinished transition.
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ])
    const options = JSON.stringify({ preload: false, ...rules })
    const lines = await page.evaluate(`axe.run('${part}', ${options}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`)
    found.push(...(lines as string[]).map((line) => `${part}, ${scheme}: ${line}`))
  }
  return found
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'puppeteer-core'
import { expect } from 'vitest'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The dark scheme differs in its colours alone. */
const schemes = [
  ['dark', { runOnly: ['color-contrast'] }],
  ['light', {}],
] as const

/** Expects that axe finds nothing in a part of a page, in both colour schemes. Needs a Chromium, which emulates them. */
export async function expectAccessible(page: Page, when: string, part = 'html'): Promise<void> {
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
    expect(lines, `${when}, ${part}, ${scheme}`).toEqual([])
  }
}

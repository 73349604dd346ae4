import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pages, snippetsOf } from '../support/markdown.js'
import { root } from '../support/source.js'
import { startProcess } from '../support/start-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { inChromium } from './support/each-browser.js'

const COMMAND = /^npx gameserver-sidecar ([^#\n]*)/m

/** The pages that begin with a page for a browser, each with the command above it. */
const beginnings = pages.flatMap((page) => {
  const [first, second] = snippetsOf(page)
  const html = [first, second].find((one) => one?.language === 'html' && one.code.includes('gameserver-sidecar.umd.js'))
  return html ? [{ page, html: html.code, command: COMMAND.exec(html === second ? first!.code : '')?.[1] }] : []
})

test('docs/browser.md and the README begin with a page, the first below the command that serves it', () => {
  expect(beginnings.find(({ page }) => page === 'docs/browser.md')?.command).toMatch(/^serve /)
  expect(beginnings.map(({ page }) => page)).toContain('README.md')
})

inChromium((browser) => {
  test.for(beginnings)(
    'the page at the start of $page makes its GameServer Ready',
    async ({ html, command = 'serve . --local' }, context) => {
      const folder = await temporaryFolder('gameserver-snippet')
      writeFileSync(join(folder, 'index.html'), html)
      for (const place of ['.', 'node_modules/gameserver-sidecar/dist'])
        cpSync(join(root, 'dist/gameserver-sidecar.umd.js'), join(folder, place, 'gameserver-sidecar.umd.js'))
      const args = [join(root, 'dist/cli.js'), ...command.trim().split(/\s+/), '--port', '0', '--sidecar-port', '0']
      const served = startProcess(context, folder, [process.execPath, ...args])
      const [, url] = await served.line(/at (http:\S+)/)
      const { page } = await browser.open(url!)
      await page.waitForFunction(
        `fetch('/_/sidecar/gameserver').then((answer) => answer.json()).then(({ status }) => status?.state === 'Ready')`,
      )
    },
  )
})

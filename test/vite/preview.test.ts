import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { build, preview, type InlineConfig, type PreviewServer } from 'vite'
import { readGameServer } from '../cli/support.js'
import { converse } from '../node/support.js'
import { collector, configFor, localUrl, page, project, TAG, whereabouts } from './support.js'

async function built(
  files: Readonly<Record<string, string>> = {},
  more: InlineConfig = {},
): Promise<InlineConfig & { lines: string[] }> {
  const logger = collector()
  const config = { ...configFor(await project(files), logger, { local: {} }), ...more, lines: logger.lines }
  await build(config)
  return config
}

async function previewed(config: InlineConfig): Promise<{ server: PreviewServer; url: string }> {
  const server = await preview(config)
  onTestFinished(() => server.close())
  return { server, url: server.resolvedUrls!.local[0]!.replace(/\/$/, '') }
}

test('a build holds nothing of the plugin', async () => {
  const { root, lines } = await built()
  const html = await readFile(join(root!, 'dist', 'index.html'), 'utf8')
  expect(html).not.toContain('/_/')
  expect(lines.join('\n')).not.toContain('sidecar')
})

test('the preview of a build serves the sidecar, and tells its pages where the sidecar is', async () => {
  const config = await built({
    'public/text.txt': 'plain',
    'public/other/index.html': '<p>other',
    'public/one.html': '<p>other',
  })
  const { url } = await previewed(config)
  const answer = await fetch(url, page)
  const html = await answer.text()
  expect(html).toContain(`<head>${TAG}<title>Game</title>`)
  expect(answer.headers.get('content-length')).toBe(String(html.length))
  expect(answer.headers.get('etag')).toBeNull()
  // Also where it was asked for before, by an address that is made by the page's script, and where it is another page.
  expect(await (await fetch(url, { headers: { ...page.headers, 'if-none-match': '*' } })).text()).toBe(html)
  expect(await (await fetch(`${url}/lobby/1`, page)).text()).toBe(html)
  for (const path of ['/other/', '/other/index.html', '/one.html?a']) {
    expect(await (await fetch(url + path, page)).text()).toBe(`${TAG}<p>other`)
  }
  expect((await readGameServer(`${url}/_/sidecar`)).status.state).toBe('Scheduled')
  await converse(`${url}/_/sidecar/watch/gameserver`).frame(0)
})

test('every other answer of a preview is as Vite sends it', async () => {
  const config = await built({ 'public/text.txt': '<head> plain '.repeat(1000) })
  const { url } = await previewed(config)
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await (await fetch(url, page)).text())![1]!
  const asked = await fetch(`${url}${script}`)
  expect(await asked.text()).toContain('started')
  const again = await fetch(`${url}${script}`, { headers: { 'if-none-match': asked.headers.get('etag')! } })
  expect(again.status).toBe(304)
  const text = await fetch(`${url}/text.txt`, { headers: { accept: 'text/html,*/*' } })
  expect(await text.text()).toBe('<head> plain '.repeat(1000))
  const head = await fetch(url, { ...page, method: 'HEAD' })
  expect([head.status, head.headers.get('content-type')]).toEqual([200, expect.stringMatching(/text\/html/)])
  // Without an Accept that asks for a page, as a service worker or a script has it.
  expect(await (await fetch(url)).text()).toContain('<title>Game</title>')
})

test('the local sidecar ends with the preview', async () => {
  const config = await built()
  const { server } = await previewed(config)
  const local = await vi.waitUntil(() => localUrl(config.lines), 20_000)
  expect((await fetch(`${local}/gameserver`)).status).toBe(200)
  await server.close()
  await expect.poll(() => whereabouts(local)).toBe('gone')
})

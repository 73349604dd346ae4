import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { LocalSidecar } from '../../src/node.js'
import { startSidecar } from '../support/with-sidecar.js'
import { ask } from '../support/wire.js'

const HTML = { accept: 'text/html,application/xhtml+xml' }
const read = (
  local: LocalSidecar,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Response> => fetch(local.url + path, { method, headers, redirect: 'manual' })

describe('the dashboard', () => {
  test('a browser that opens the address is redirected to the dashboard; other requests get the sidecar’s answer', async () => {
    const local = await startSidecar()
    for (const [path, headers] of [
      ['/', HTML],
      ['/_', {}],
    ] as const) {
      const response = await read(local, path, headers)
      expect([response.status, response.headers.get('location')]).toEqual([302, '/_/'])
    }
    expect((await read(local, '/', { accept: '*/*' })).status).toBe(404)
    expect((await read(local, '/', HTML, 'POST')).status).toBe(404)
    expect((await read(local, '/_/', {}, 'POST')).status).toBe(404)
    expect((await read(local, '/_/other', HTML)).status).toBe(404)
  })

  test('with dashboard: false there is no page and no redirect, and the control interface stays', async () => {
    const local = await startSidecar({ dashboard: false })
    for (const path of ['/', '/_', '/_/']) expect((await read(local, path, HTML)).status).toBe(404)
    expect((await read(local, '/_/api/state')).status).toBe(200)
  })

  test('the dashboard is one page, whose policy allows only its own script and style', async () => {
    const local = await startSidecar()
    const response = await read(local, '/_/')
    const html = await response.text()
    const hashOf = (tag: string): string => {
      const text = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(html)![1]!
      return createHash('sha256').update(text).digest('base64')
    }
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'sha256-${hashOf('script')}'; style-src 'sha256-${hashOf('style')}'; ` +
        "connect-src 'self'; frame-ancestors 'none'; img-src data:; base-uri 'none'; form-action 'none'",
    )
    expect(html).not.toMatch(/\s(?:src|href)="(?!data:)/)
  })

  test('HEAD tells the version of the page that GET gives, by which an open page knows that it is still this one', async () => {
    const local = await startSidecar()
    const html = await (await read(local, '/_/')).text()
    const [, id] = /<meta name="page-id" content="([^"]+)"/.exec(html)!
    expect((await read(local, '/_/', {}, 'HEAD')).headers.get('etag')).toBe(`W/"${id}"`)
  })

  const navigation = (site: string, dest: string): string[] => [
    'Host: localhost',
    `Sec-Fetch-Site: ${site}`,
    'Sec-Fetch-Mode: navigate',
    `Sec-Fetch-Dest: ${dest}`,
  ]

  test('links on other sites may open the dashboard, and no other path of the sidecar', async () => {
    const { port } = await startSidecar()
    expect((await ask(port, 'GET /_/', navigation('cross-site', 'document'))).status).toBe(200)
    expect((await ask(port, 'GET /_/api/state', navigation('cross-site', 'document'))).status).toBe(403)
    expect((await ask(port, 'GET /gameserver', navigation('cross-site', 'document'))).status).toBe(403)
    expect((await ask(port, 'GET /_/', ['Host: evil.example'])).status).toBe(403)
  })
})

import { describe, expect, test } from 'vitest'
import { gameServer } from '../support/game-server.js'
import { startSidecar } from '../support/with-sidecar.js'
import { faulty, find, json, NOBODY, type Arranged, type Handler } from './support.js'

type Env = Readonly<Record<string, string>>

describe('each mistake in the environment is found', () => {
  const rows: readonly (readonly [id: string, env: Env, status: string, text: RegExp])[] = [
    ['port-variable', {}, 'warning', /^AGONES_SDK_HTTP_PORT is not set/],
    ['port-variable', { AGONES_SDK_HTTP_PORT: '93a' }, 'failure', /must be a port from 1 to 65535; got "93a"/],
    ['port-variable', { AGONES_SDK_HTTP_PORT: '9' }, 'ok', /is 9$/],
    [
      'port-variable',
      { AGONES_SDK_HTTP_PORT: '9358' },
      'warning',
      /asks port 9, .* connects to AGONES_SDK_HTTP_PORT, 9358/,
    ],
    ['container', { CODESPACES: 'true' }, 'warning', /a dev container, which has a localhost of its own/],
    ['container', { WSL_DISTRO_NAME: 'Debian' }, 'warning', /runs in WSL/],
  ]
  test.each(rows)('%s with %o: %s', async (id, env, status, text) => {
    const finding = await find(id, { env })
    expect(finding).toMatchObject({ status })
    expect(finding.text).toMatch(text)
  })
})

const GAME = 'http://localhost:5173'

const endless: Handler = (_request, response) => void response.write('data: 1\n\n')
const upgrade: Handler = (_request, { socket }) => void socket!.end('HTTP/1.1 101 x\r\nconnection: upgrade\r\n\r\n')
const forAnyOrigin: Handler = (request, response) => {
  response.setHeader('access-control-allow-origin', '*')
  json(200, gameServer(1))(request, response)
}

const ours = async (): Promise<string> => (await startSidecar()).url
const ofGameServer = (handler: Handler) => (): Promise<string> => faulty({ 'GET /gameserver': handler })

describe('each mistake on the way to the sidecar is found', () => {
  type Row = readonly [id: string, what: string, url: () => Promise<string>, status: string, text: RegExp]
  const rows: readonly (Row | readonly [...Row, Arranged])[] = [
    ['listener', 'nobody', async () => NOBODY, 'failure', /^nothing answers HTTP at .*: nothing listens there$/],
    ['listener', 'a web server', () => faulty({ '*': json(200, '<html>') }), 'failure', /^something else listens/],
    ['listener', 'an endless answer', () => faulty({ '*': endless }), 'failure', /gave status 200/, { patience: 200 }],
    ['listener', 'an upgrade that nobody asked for', () => faulty({ '*': upgrade }), 'failure', /gave status 101/],
    ['listener', 'a real sidecar', () => faulty(), 'ok', /real sidecar/],
    ['listener', 'ours', ours, 'ok', /of this package listens, in production/],
    ['listener', 'gone', ofGameServer(json(500, { code: 2, message: 'not found' })), 'failure', /500 not found/],
    ['origin', 'a real sidecar', () => faulty(), 'failure', /may not read answers/, { origin: GAME }],
    ['origin', 'ours', ours, 'failure', /GET gives 403/, { origin: GAME }],
    [
      'origin',
      'ours with --allow-origin',
      async () => (await startSidecar({ allowOrigins: [GAME] })).url,
      'ok',
      /gets through/,
      { origin: GAME },
    ],
    ['origin', 'no preflight', ofGameServer(forAnyOrigin), 'failure', /may read, but not write/, { origin: GAME }],
    [
      'origin',
      'a public page',
      async () => (await startSidecar({ allowOrigins: ['https://game.example'] })).url,
      'warning',
      /Local Network/,
      { origin: 'https://game.example' },
    ],
    [
      'origin',
      'https to http elsewhere',
      async () => 'http://10.0.0.1:9358',
      'failure',
      /mixed content/,
      { origin: 'https://game.example' },
    ],
  ]
  test.each(rows)('%s, %s', async (id, _what, url, status, text, arranged = {}) => {
    const finding = await find(id, { url: await url(), ...arranged })
    expect(`${finding.status}: ${finding.text}`).toMatch(new RegExp(`^${status}: `))
    expect(finding.text).toMatch(text)
    expect(finding.fix === undefined).toBe(status === 'ok')
  })

  test('a local sidecar with a token is recognised, and checks of its state are skipped', async () => {
    const { port } = await startSidecar({ address: '0.0.0.0' })
    const url = `http://127.0.0.1:${port}`
    expect((await find('listener', { url })).text).toBe('a local sidecar of this package listens')
    expect(await find('faults', { url })).toMatchObject({ status: 'skipped' })
  })
})

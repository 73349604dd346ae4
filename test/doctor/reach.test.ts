import { describe, expect, test } from 'vitest'
import { createLocalSidecar } from '../../src/node/local/local-sidecar.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { startSidecar } from '../support/with-sidecar.js'
import { faulty, find, json, NOBODY } from './support.js'
import type { Arranged } from './support.js'

const GAME = 'http://localhost:5173'
const html = json(200, '<html>')

describe('each mistake on the way to the sidecar is found', () => {
  const rows: readonly (readonly [
    id: string,
    what: string,
    arrange: () => Promise<Arranged>,
    status: string,
    text: RegExp,
  ])[] = [
    [
      'listener',
      'nobody',
      async () => ({ url: NOBODY }),
      'failure',
      /^nothing answers HTTP at .*: nothing listens there$/,
    ],
    [
      'listener',
      'a web server',
      async () => ({ url: await faulty({ '*': html }) }),
      'failure',
      /^something else listens/,
    ],
    [
      'listener',
      'an answer that never ends',
      async () => ({
        url: await faulty({ '*': (_request, response) => void response.write('data: 1\n\n') }),
        patience: 200,
      }),
      'failure',
      /^something else listens .* gave status 200/,
    ],
    [
      'listener',
      'an upgrade that nobody asked for',
      async () => ({
        url: await faulty({
          '*': (_request, { socket }) => void socket!.end('HTTP/1.1 101 x\r\nconnection: upgrade\r\n\r\n'),
        }),
      }),
      'failure',
      /^something else listens .* gave status 101/,
    ],
    ['listener', 'a real sidecar', async () => ({ url: await faulty() }), 'ok', /real sidecar/],
    [
      'listener',
      'ours',
      async () => ({ url: (await startSidecar()).url }),
      'ok',
      /of this package listens, in production/,
    ],
    [
      'gameserver',
      'gone',
      async () => ({ url: await faulty({ 'GET /gameserver': json(500, { code: 2, message: 'not found' }) }) }),
      'failure',
      /gives 500 not found/,
    ],
    [
      'gameserver',
      'an answer that is none',
      async () => ({ url: await faulty({ 'GET /gameserver': json(200, {}) }) }),
      'failure',
      /and no GameServer/,
    ],
    [
      'speed',
      'a slow answer',
      async () => ({
        url: await faulty({
          'GET /gameserver': (request, response) =>
            void setTimeout(() => json(200, gameServer(1))(request, response), 150),
        }),
      }),
      'warning',
      /slow beside/,
    ],
    [
      'beat',
      'a gateway that denies it',
      async () => ({ url: await faulty({ 'POST /health': json(403, {}) }) }),
      'failure',
      /gives 403/,
    ],
    ['beat', 'ours', async () => ({ url: (await startSidecar()).url }), 'ok', /takes a beat/],
    [
      'origin',
      'a real sidecar',
      async () => ({ url: await faulty(), origin: GAME }),
      'failure',
      /may not read answers/,
    ],
    ['origin', 'ours', async () => ({ url: (await startSidecar()).url, origin: GAME }), 'failure', /GET gives 403/],
    [
      'origin',
      'ours with --allow-origin',
      async () => ({ url: (await startSidecar({ allowOrigins: [GAME] })).url, origin: GAME }),
      'ok',
      /gets through/,
    ],
    [
      'origin',
      'no preflight',
      async () => ({
        url: await faulty({
          'GET /gameserver': (request, response) => {
            response.setHeader('access-control-allow-origin', '*')
            json(200, gameServer(1))(request, response)
          },
        }),
        origin: GAME,
      }),
      'failure',
      /may read, but not write/,
    ],
    ['browser', 'a public page', async () => ({ origin: 'https://game.example' }), 'warning', /Local Network Access/],
    ['browser', 'a local page', async () => ({ origin: GAME }), 'ok', /same side/],
    [
      'browser',
      'https to http elsewhere',
      async () => ({ url: 'http://10.0.0.1:9358', origin: 'https://game.example' }),
      'failure',
      /mixed content/,
    ],
  ]
  test.each(rows)('%s, %s', async (id, _what, arrange, status, text) => {
    const finding = await find(id, await arrange())
    expect(`${finding.status}: ${finding.text}`).toMatch(new RegExp(`^${status}: `))
    expect(finding.text).toMatch(text)
    expect(finding.fix === undefined).toBe(status === 'ok')
  })

  test('a sidecar that needs a token is known as ours, and what needs its state is skipped', async () => {
    const local = await createLocalSidecar({ address: '0.0.0.0', onWarning: () => {} })
    try {
      const url = `http://127.0.0.1:${local.port}`
      expect((await find('listener', { url })).text).toBe('a local sidecar of this package listens')
      expect(await find('faults', { url })).toMatchObject({ status: 'skipped' })
    } finally {
      await local.close()
    }
  })
})

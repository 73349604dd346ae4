import { describe, expect, onTestFinished, test } from 'vitest'
import { resolveGatewayOptions } from '../../src/local/gateway/gateway-options.js'
import type { GatewayOptions } from '../../src/node.js'
import { PREFIX, startFakeSidecar, startGateway } from './support.js'

test.each<[unknown, RegExp]>([
  [{ prot: 1 }, /^The object of options has no field "prot"; did you mean "port"\?/],
  [{ local: true, timeout: 0 }, /^timeout must be a number of milliseconds; got 0/],
  [{ local: true, token: 'secret' }, /^token must have 16 to 256 letters, [^']*nobody can guess it, or be true$/],
  [{ local: 'yes' }, /^local must be true, false or the options of createLocalSidecar\(\)$/],
  [{ local: true, sidecar: 'http://127.0.0.1:1' }, /sidecar and local exclude each other/],
  [{ local: true, cert: 'x' }, /cert and key go together/],
  [{ local: true, deny: ['shutdwon'] }, /^deny\[0\] can't be "shutdwon"; did you mean "shutdown"\?/],
  [{ sidecar: 'http://x', host: '0.0.0.0' }, /Other machines can reach 0\.0\.0\.0.*add --expose/],
  [
    { sidecar: 'http://x', host: '0.0.0.0', expose: true },
    /^To say who may use the sidecar from elsewhere, add --token/,
  ],
  [{ sidecar: 'http://x', host: '0.0.0.0', expose: true, token: false }, /^To say who may use/],
  [{ local: { mode: 'x' } }, /^local\.mode must be "production" or "local"; got "x"/],
  [{ sidecar: '127.0.0.1:1' }, /sidecar is "127.0.0.1:1", which is no URL such as/],
  [{ sidecar: 'https://x' }, /no URL such as/],
  [{ sidecar: 'http://a:b@x' }, /no URL such as/],
  [{ sidecar: 'http://x/?y' }, /no URL such as/],
  [{}, /Nothing says where the sidecar is: give sidecar.*or set AGONES_SDK_HTTP_PORT/],
  [{ platform: 'my-own' }, /set MY_OWN_SDK_HTTP_PORT/],
])('createGateway() refuses %j and says why', async (options, message) => {
  const starting = startGateway(options as GatewayOptions)
  await expect(starting).rejects.toThrow(TypeError)
  await expect(starting).rejects.toThrow(message)
})

describe('the environment', () => {
  const setEnvironment = (variables: Record<string, string>): void => {
    for (const [name, value] of Object.entries(variables)) {
      process.env[name] = value
      onTestFinished(() => void delete process.env[name])
    }
  }

  test('AGONES_SDK_HTTP_PORT names a sidecar on this machine', async () => {
    const sidecar = await startFakeSidecar()
    setEnvironment({ AGONES_SDK_HTTP_PORT: new URL(sidecar.url).port })
    const gateway = await startGateway({})
    expect(gateway.sidecarUrl).toBe(sidecar.url)
    expect((await fetch(`${gateway.url}${PREFIX}/gameserver`)).status).toBe(200)
  })

  test('the variables of another platform name port and host of its sidecar', async () => {
    setEnvironment({ OTHER_SDK_HTTP_PORT: '1234', OTHER_SDK_HTTP_HOST: '::1' })
    expect((await startGateway({ platform: 'other' })).sidecarUrl).toBe('http://[::1]:1234')
  })

  test('AGONES_SDK_HTTP_PORT that is no port is refused', async () => {
    setEnvironment({ AGONES_SDK_HTTP_PORT: '80a' })
    await expect(startGateway({})).rejects.toThrow('AGONES_SDK_HTTP_PORT and AGONES_SDK_HTTP_HOST make')
  })
})

test('a sidecar behind a path is reached there', async () => {
  const sidecar = await startFakeSidecar()
  const gateway = await startGateway({ sidecar: `${sidecar.url}/behind/` })
  await fetch(`${gateway.url}${PREFIX}/gameserver`)
  expect(sidecar.asked[0]!.url).toBe('/behind/gameserver')
})

test.each(['localhost', '::1', '[::ffff:7f00:1]', '::FFFF:127.0.0.1', '127.0.0.2'])(
  'the host %s is loopback, and every way to write it in a URL is served',
  async (host) => {
    const { url, port, warnings } = await startGateway({ local: true, host })
    expect(warnings).toEqual([])
    const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
    for (const origin of [url, `http://${bracketed}:${port}`]) {
      expect((await fetch(`${origin}${PREFIX}/gameserver`)).status, origin).toBe(200)
    }
  },
)

test.each(['::ffff:0.0.0.0', '::ffff:192.0.2.7', '0:0::0', '::ffff:7e00:1', '::127.0.0.1'])(
  'the host %s is not loopback',
  async (host) => {
    await expect(startGateway({ local: true, host })).rejects.toThrow(/^Other machines can reach/)
  },
)

test('a Host header may name the address that the gateway listens on, unless that is a wildcard', () => {
  const allowed = (host: string) => resolveGatewayOptions({ local: true, host, expose: true, token: true }).allowHosts
  expect(allowed('game-vm')).toEqual(['game-vm'])
  expect(allowed('192.0.2.7')).toEqual(['192.0.2.7'])
  expect(allowed('0.0.0.0')).toEqual([])
})

test('the option platform applies to the local sidecar inside, too', async () => {
  const gateway = await startGateway({ local: { mode: 'local' }, platform: 'other' })
  const set = { method: 'PUT', body: '{"key":"a","value":"b"}' }
  await fetch(`${gateway.url}${PREFIX}/metadata/label`, set)
  expect(gateway.local!.sidecar.snapshot().gameServer.object_meta.labels).toMatchObject({ 'other.dev/sdk-a': 'b' })
})

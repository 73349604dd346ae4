import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { root } from '../support/source.js'

const require = createRequire(import.meta.url)
const names = (module: object): string[] => Object.keys(module).sort()
const imported = async (file: string): Promise<string[]> => names((await import(`${root}/dist/${file}`)) as object)
const required = (file: string): string[] => names(require(`${root}/dist/${file}`) as object)

describe('exports are a contract', () => {
  test('the client', async () => {
    expect(await imported('index.js')).toMatchInlineSnapshot(`
      [
        "SidecarError",
        "createClient",
        "internals",
        "isSidecarError",
      ]
    `)
  })

  test('./frames', async () => {
    expect(await imported('frames.js')).toMatchInlineSnapshot(`
      [
        "MessageDecoder",
        "createWebSocketClass",
      ]
    `)
  })

  test('./node-connect', async () => {
    expect(await imported('node-connect.js')).toMatchInlineSnapshot(`
      [
        "nodeConnect",
      ]
    `)
  })

  test('./node', async () => {
    expect(await imported('node.js')).toMatchInlineSnapshot(`
      [
        "GameServerFileError",
        "HostError",
        "ScenarioFailure",
        "ScenarioFileError",
        "createGateway",
        "createHost",
        "createLocalSidecar",
        "runScenario",
      ]
    `)
  })

  test('./players', async () => {
    expect(await imported('players.js')).toMatchInlineSnapshot(`
      [
        "trackPlayers",
        "trackSessions",
      ]
    `)
  })

  test('./player', async () => {
    expect(await imported('player.js')).toMatchInlineSnapshot(`
      [
        "connect",
      ]
    `)
  })

  test('./mock', async () => {
    expect(await imported('mock.js')).toMatchInlineSnapshot(`
      [
        "createMock",
      ]
    `)
  })

  test('./vite', async () => {
    expect(await imported('vite.js')).toMatchInlineSnapshot(`
      [
        "gameserverSidecar",
      ]
    `)
  })

  test('./agones-sdk: the class by its name and as the default; for require() it is the module itself', async () => {
    expect(await imported('agones-sdk.js')).toEqual(['AgonesSDK', 'default'])
    const AgonesSDK = require(`${root}/dist/agones-sdk.cjs`) as { new (): object; AgonesSDK: unknown; default: unknown }
    expect(AgonesSDK).toBeTypeOf('function')
    expect(AgonesSDK.name).toBe('AgonesSDK')
    expect([AgonesSDK.AgonesSDK, AgonesSDK.default]).toEqual([AgonesSDK, AgonesSDK])
  })

  test('the client is the same for a page, the core, Node and a require', async () => {
    const names = await imported('index.js')
    expect(await imported('index.browser.js')).toEqual(names)
    expect(await imported('index.core.js')).toEqual(names)
    expect(required('index.cjs')).toEqual(names)
  })

  test.each(['frames', 'node-connect', 'node', 'player', 'mock', 'vite'])(
    './%s is the same for an import and a require',
    async (entry) => {
      expect(required(`${entry}.cjs`)).toEqual(await imported(`${entry}.js`))
    },
  )
})

/**
 * Phaser headless in Node with the plugin in it, game after game: `phaser-host.mjs <phaser> <url of a sidecar>`.
 * Prints what came of each scenario as JSON and ends by itself, which shows that nothing is left running.
 */
import { readFile } from 'node:fs/promises'
import { closeWindow } from '../../../demo/phaser/headless.mjs'
import * as sidecarModule from 'gameserver-sidecar'
import { createSidecarPlugin, installSidecarPlugin } from 'gameserver-sidecar/phaser'
import { allOperations } from './all-operations.mjs'

const [phaser, baseUrl] = process.argv.slice(2)
const { default: Phaser } = await import(phaser)
const Plugin = createSidecarPlugin(Phaser)
const KEY = 'GameServerSidecarPlugin'

const configFor = (...scene) => ({
  type: Phaser.HEADLESS,
  width: 100,
  height: 100,
  banner: false,
  audio: { noAudio: true },
  physics: { default: 'arcade' },
  scene,
})
const gameEvent = (game, name) =>
  new Promise((resolve) => {
    game.events.once(name, resolve)
  })

/** Resolves with the scene, once its `create()` has been called; `see` is called in its `init()`. */
function sceneOf(key, see = () => {}) {
  let created
  const running = new Promise((resolve) => {
    created = resolve
  })
  class TestScene extends Phaser.Scene {
    constructor() {
      super(key)
    }
    init() {
      see(this)
    }
    create() {
      created(this)
    }
  }
  return { TestScene, running }
}

async function destroy(game) {
  const destroyed = gameEvent(game, 'destroy')
  game.destroy(true)
  await destroyed
}

const scenarios = {
  async operations() {
    let inInit
    const first = sceneOf('first', (scene) => {
      inInit = scene.sidecar
    })
    const second = sceneOf('second')
    const config = configFor(first.TestScene, second.TestScene)
    const game = new Phaser.Game(installSidecarPlugin(config, Plugin, { data: { baseUrl } }))
    const scene = await first.running
    scene.scene.launch('second')
    const other = await second.running

    const context = { events: 0 }
    const count = function () {
      this.events += 1
    }
    scene.sidecar.on('state', count, context)
    const system = game.scene.systemScene
    const outcome = await allOperations(scene.sidecar)
    const { client } = scene.sidecar
    await destroy(game)
    return {
      outcome,
      mappedInInit: inInit === scene.sidecar,
      oneForAllScenes: other.sidecar === scene.sidecar,
      isTheSystemScenes: Object.values(system).some((value) => value instanceof Plugin && value !== scene.sidecar),
      calledWithContext: context.events > 0,
      connection: client.status.connection,
      version: Phaser.VERSION,
    }
  },

  async runningGame() {
    const first = sceneOf('first')
    const game = new Phaser.Game(configFor(first.TestScene))
    const scene = await first.running
    const client = sidecarModule.createClient({ baseUrl })
    installSidecarPlugin(game, Plugin, { data: client })
    const {
      object_meta: { name },
    } = await scene.sidecar.connect()
    await destroy(game)
    const { connection } = client.status
    await client.health()
    client.close()
    return { name, usesTheClient: scene.sidecar.client === client, stateAfterDestroy: connection }
  },

  async notYetBooted() {
    const first = sceneOf('first')
    const game = new Phaser.Game(configFor(first.TestScene))
    const bootedAtOnce = game.isBooted
    installSidecarPlugin(game, Plugin, { data: { baseUrl } })
    const { sidecar } = await first.running
    const {
      object_meta: { name },
    } = await sidecar.connect()
    await destroy(game)
    return { bootedAtOnce, name }
  },

  async frozenLoop() {
    const first = sceneOf('first')
    const data = { baseUrl, autoHealth: { interval: 200 } }
    const game = new Phaser.Game(installSidecarPlugin(configFor(first.TestScene), Plugin, { data }))
    const { sidecar } = await first.running
    const next = (wanted) =>
      new Promise((resolve) => {
        const end = sidecar.on('health', (event) => {
          if (event.ok !== wanted) return
          end()
          resolve(event)
        })
      })
    await next(true)
    game.loop.sleep()
    const { reason } = await next(false)
    game.loop.wake()
    const { ok } = await next(true)
    await destroy(game)
    return { reason, ok }
  },

  /** The script build's helper, where the page has the scripts. */
  async scriptInstall() {
    const script = await readFile(new URL('../../../dist/gameserver-sidecar.phaser.js', import.meta.url), 'utf8')
    window.eval(script)
    window.Phaser = Phaser
    window.GameServerSidecar = sidecarModule
    const first = sceneOf('first')
    const game = new Phaser.Game(window[KEY].install(configFor(first.TestScene), { data: { baseUrl } }))
    const { sidecar } = await first.running
    const {
      object_meta: { name },
    } = await sidecar.connect()
    await destroy(game)
    return { name }
  },
}

const results = {}
for (const [name, run] of Object.entries(scenarios)) {
  results[name] = await run().catch((error) => ({ error: error.stack }))
}
// After the frame in which the last game is destroyed.
setTimeout(closeWindow)
console.log(JSON.stringify(results))

/** PlayCanvas on its null device: `playcanvas-host.mjs <module> <urls of two sidecars>`; prints JSON. */
import { createSidecarScript, registerSidecarScript } from 'gameserver-sidecar/playcanvas'
import { allOperations } from './all-operations.mjs'

const [module, baseUrl, otherUrl] = process.argv.slice(2)
const pc = await import(module)

const canvas = {
  width: 100,
  height: 100,
  clientWidth: 100,
  clientHeight: 100,
  style: {},
  addEventListener() {},
  removeEventListener() {},
  getBoundingClientRect: () => ({ left: 0, top: 0, width: 100, height: 100 }),
}
const app = new pc.AppBase(canvas)
const options = new pc.AppOptions()
options.graphicsDevice = new pc.NullGraphicsDevice(canvas)
options.componentSystems = [pc.ScriptComponentSystem]
options.resourceHandlers = []
app.init(options)
app.start()

let frames = setInterval(() => app.update(1 / 60), 16)
const run = () => {
  frames = setInterval(() => app.update(1 / 60), 16)
}

function entityWith(script) {
  const entity = new pc.Entity()
  entity.addComponent('script')
  app.root.addChild(entity)
  entity.script.create(script)
  return entity
}

const results = { destroyed: {} }

{
  class Sidecar extends createSidecarScript(pc, { baseUrl, autoHealth: { interval: 200 } }) {
    static scriptName = 'serverSidecar'
  }
  app.scripts.add(Sidecar)
  const entity = entityWith('serverSidecar')
  const { client } = entity.script.serverSidecar
  const next = (wanted) =>
    new Promise((resolve) => {
      const end = client.on('health', (event) => {
        if (event.ok !== wanted) return
        end()
        resolve(event)
      })
    })
  await next(true)
  clearInterval(frames)
  const { reason } = await next(false)
  run()
  await next(true)
  results.module = { reason, outcome: await allOperations(client) }
}

for (const [name, destroy] of [
  ['entity', (entity) => entity.destroy()],
  ['script', (entity) => entity.script.destroy('serverSidecar')],
]) {
  const entity = entityWith('serverSidecar')
  const { client } = entity.script.serverSidecar
  await client.connect()
  destroy(entity)
  results.destroyed[name] = client.status.connection
}

{
  registerSidecarScript(pc, { baseUrl: otherUrl, scheduler: false })
  const entity = entityWith('sidecar')
  const { client } = entity.script.sidecar
  results.classic = { outcome: await allOperations(client) }
  entity.script.destroy('sidecar')
}

clearInterval(frames)
console.log(JSON.stringify(results))

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

function entityWith(script, settings) {
  const entity = new pc.Entity()
  entity.addComponent('script')
  app.root.addChild(entity)
  entity.script.create(script, settings)
  return entity
}

const results = {}

{
  class Sidecar extends createSidecarScript(pc, { autoHealth: { interval: 200 } }) {
    static scriptName = 'serverSidecar'
    baseUrl = baseUrl
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
  const outcome = await allOperations(client)
  results.module = { reason, outcome }
}

{
  const plain = createSidecarScript(pc, { baseUrl })
  app.scripts.add(
    class Plain extends plain {
      static scriptName = 'plain'
    },
  )
  const entity = entityWith('plain')
  const { client } = entity.script.plain
  await client.connect()
  entity.destroy()
  results.destroyed = client.status.connection
}

{
  registerSidecarScript(pc, { scheduler: false })
  const entity = entityWith('sidecar', { attributes: { baseUrl: otherUrl } })
  const { client } = entity.script.sidecar
  results.classic = { outcome: await allOperations(client) }
  entity.script.destroy('sidecar')
}

{
  const entity = entityWith('sidecar', { attributes: { baseUrl } })
  const { client } = entity.script.sidecar
  await client.connect()
  entity.script.destroy('sidecar')
  results.classic.destroyed = client.status.connection
}

clearInterval(frames)
console.log(JSON.stringify(results))

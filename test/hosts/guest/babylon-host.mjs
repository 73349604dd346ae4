/** Babylon.js on its NullEngine: `babylon-host.mjs <folder of @babylonjs/core> <url of the sidecar>`; prints JSON. */
import { createSidecarObservables } from 'gameserver-sidecar/babylon'
import { allOperations } from './all-operations.mjs'

const [folder, baseUrl] = process.argv.slice(2)
const [{ NullEngine }, { Scene }, { FreeCamera }, { Observable }, { Vector3 }] = await Promise.all(
  ['Engines/nullEngine.js', 'scene.js', 'Cameras/freeCamera.js', 'Misc/observable.js', 'Maths/math.vector.js'].map(
    (file) => import(`${folder}/${file}`),
  ),
)

const engine = new NullEngine()
const scene = new Scene(engine)
new FreeCamera('camera', Vector3.Zero(), scene)
const render = () => scene.render()
engine.runRenderLoop(render)

const next = (observable, wanted = () => true) =>
  new Promise((resolve) => {
    const see = (event) => {
      if (!wanted(event)) return
      observable.removeCallback(see)
      resolve(event)
    }
    observable.add(see)
  })

const results = {}

{
  const sidecar = createSidecarObservables({ Observable }, engine, { baseUrl, autoHealth: { interval: 200 } })
  const beats = sidecar.onHealthObservable
  await next(beats, ({ ok }) => ok)
  engine.stopRenderLoop()
  const { reason } = await next(beats, ({ ok }) => !ok)
  engine.runRenderLoop(render)
  await next(beats, ({ ok }) => ok)
  sidecar.dispose()
  results.frozen = { reason, connection: sidecar.client.status.connection, observed: beats.hasObservers() }
}

{
  const sidecar = createSidecarObservables({ Observable }, engine, { baseUrl })
  const states = []
  sidecar.onStateObservable.add(({ state }) => {
    states.push(state)
  })
  const { name } = await next(sidecar.onCounterObservable)
  // Who comes late is told how things are.
  const late = next(sidecar.onStateObservable)
  const gameServer = next(sidecar.onGameserverObservable)
  const first = await Promise.all([late, gameServer])
  results.outcome = await allOperations(sidecar.client)
  results.observables = {
    counter: name,
    late: first[0].state,
    gameServer: first[1].object_meta.name,
    last: states.at(-1),
    ending: (await next(sidecar.onEndingObservable)).reason,
  }
  engine.dispose()
}

{
  const other = new NullEngine()
  const { client } = createSidecarObservables({ Observable }, other, { baseUrl })
  await client.connect()
  other.dispose()
  results.disposed = client.status.connection
}
console.log(JSON.stringify(results))

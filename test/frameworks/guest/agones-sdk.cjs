/**
 * Uses everything that the official SDK documents with the package that AGONES_SDK_PACKAGE names, and prints what each
 * call came to as one line of JSON. With AGONES_SDK_IN_CLUSTER it leaves out what only local mode does; with
 * AGONES_SDK_EXIT it ends its process itself.
 */
const AgonesSDK = require(process.env.AGONES_SDK_PACKAGE)

const inCluster = !!process.env.AGONES_SDK_IN_CLUSTER
const outcomes = []

async function note(name, call) {
  try {
    const value = await call()
    outcomes.push([name, value === undefined ? 'undefined' : value])
  } catch (error) {
    outcomes.push([name, { code: error.grpcCode ?? error.code, details: error.details }])
  }
}

const counters = [
  ['getCounterCount', 'rooms'],
  ['incrementCounter', 'rooms', 3],
  ['decrementCounter', 'rooms', 2],
  ['getCounterCount', 'rooms'],
  ['setCounterCount', 'rooms', 5],
  ['setCounterCount', 'rooms', 0],
  ['getCounterCount', 'rooms'],
  ['getCounterCapacity', 'rooms'],
  ['setCounterCapacity', 'rooms', 20],
  ['getCounterCapacity', 'rooms'],
  ['getCounterCount', 'nope'],
  ['getCounterCapacity', 'nope'],
  ['incrementCounter', 'nope', 1],
  ['incrementCounter', 'rooms', 1000],
  ['decrementCounter', 'rooms', 1000],
  ['setCounterCount', 'rooms', -1],
  ['setCounterCount', 'rooms', 1000],
  ['setCounterCapacity', 'rooms', -1],
]
const lists = [
  ['getListCapacity', 'players'],
  ['getListLength', 'players'],
  ['getListValues', 'players'],
  ['listContains', 'players', 'test1'],
  ['listContains', 'players', 'nobody'],
  ['appendListValue', 'players', 'Ada'],
  ['appendListValue', 'players', 'Ada'],
  ['getListValues', 'players'],
  ['deleteListValue', 'players', 'test1'],
  ['deleteListValue', 'players', 'nobody'],
  ['getListLength', 'players'],
  ['getListValues', 'nope'],
  ['getListCapacity', 'nope'],
  ['appendListValue', 'nope', 'Ada'],
  ['deleteListValue', 'nope', 'Ada'],
]
// In production, the official SDK loses the capacity, and an unknown list crashes sidecars up to 1.58.
const listCapacities = [
  ['setListCapacity', 'players', 5000],
  ['setListCapacity', 'players', 50],
  ['getListCapacity', 'players'],
  ['setListCapacity', 'nope', 5],
]
async function main() {
  const sdk = new AgonesSDK()
  outcomes.push(['names', [typeof AgonesSDK, AgonesSDK.name, typeof sdk.port]])

  let latest
  const waits = new Set()
  const until = (test) =>
    new Promise((resolve) => {
      waits.add(() => latest && test(latest) && resolve())
      for (const look of waits) look()
    })
  const inState = (state) => until(({ status }) => status.state === state)

  await note('connect', () => sdk.connect())
  await note('getGameServer', () => sdk.getGameServer())
  sdk.watchGameServer(
    (gameServer) => {
      latest = gameServer
      for (const look of waits) look()
    },
    (error) => outcomes.push(['the watch failed', String(error)]),
  )
  await until(() => true)
  await note('health', () => sdk.health((error) => outcomes.push(['the beat failed', String(error)])))

  await note('setLabel', () => sdk.setLabel('test-label', 'test-value'))
  await until(({ objectMeta }) => new Map(objectMeta.labelsMap).has('agones.dev/sdk-test-label'))
  await note('setAnnotation', () => sdk.setAnnotation('test-annotation', 'any text, also "this"'))
  await until(({ objectMeta }) => new Map(objectMeta.annotationsMap).has('agones.dev/sdk-test-annotation'))
  await note('ready', () => sdk.ready())
  await inState('Ready')
  await note('allocate', () => sdk.allocate())
  await inState('Allocated')
  await note('reserve', () => sdk.reserve(1))
  await inState('Reserved')
  await inState('Ready')

  for (const [method, ...args] of [...counters, ...lists, ...(inCluster ? [] : listCapacities)])
    await note(`beta.${method}(${args})`, () => sdk.beta[method](...args))

  await note('shutdown', () => sdk.shutdown())
  await inState('Shutdown')
  await note('the watch shows what a read gives', async () => {
    const { status, objectMeta } = latest
    const read = await sdk.getGameServer()
    const told = [objectMeta.labelsMap, objectMeta.annotationsMap, status.state]
    return (
      JSON.stringify(told) ===
      JSON.stringify([read.objectMeta.labelsMap, read.objectMeta.annotationsMap, read.status.state])
    )
  })
  await note('getGameServer at the end', () => sdk.getGameServer())
  await note('close', () => sdk.close())
  console.log(JSON.stringify(outcomes))
  // The official SDK keeps its process alive after close().
  if (process.env.AGONES_SDK_EXIT) process.exit(0)
}

main().catch((error) => {
  console.error(error)
  process.exit(1)
})

/**
 * Uses the SDK in the order and rhythm of the platform's own example for Node: a call every 5 s, a beat every 20 s, and a
 * `shutdown()` that nobody awaits. EXAMPLE_SECOND is the length of a second in ms. Its last line is `true`.
 */
const { setTimeout: sleep } = require('node:timers/promises')
const AgonesSDK = require(process.env.AGONES_SDK_PACKAGE)

const second = Number(process.env.EXAMPLE_SECOND)

async function main() {
  const sdk = new AgonesSDK()
  await sdk.connect()
  const beats = setInterval(() => sdk.health(), 20 * second)
  sdk.watchGameServer(
    ({ objectMeta, status }) =>
      console.log(status.state, objectMeta.labelsMap.join(), objectMeta.annotationsMap.join()),
    (error) => {
      console.error('the watch failed', error)
      process.exit(2)
    },
  )
  const steps = [
    () => sdk.setLabel('mode', 'duel'),
    () => sdk.setAnnotation('note', 'a b'),
    () => sdk.ready(),
    () => sdk.allocate(),
    () => sdk.reserve(10),
    () => sleep(10 * second),
    () => sdk.beta.incrementCounter('rooms', 1),
    () => sdk.beta.getCounterCount('rooms'),
    () => sdk.beta.appendListValue('players', 'Ada'),
    () => sdk.beta.deleteListValue('players', 'Ada'),
    () => sleep(60 * second),
    () => void sdk.shutdown(),
    () => (clearInterval(beats), sdk.close()),
  ]
  for (const step of steps) {
    await sleep(5 * second)
    await step()
  }
  await sleep(5 * second)
  console.log('true')
  process.exit(0)
}

main()

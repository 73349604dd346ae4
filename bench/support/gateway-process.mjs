/**
 * A gateway as a process of its own, in front of the sidecar at `argv[2]`. Tells its parent its port, and its memory
 * when asked.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createGateway } from '../../dist/node.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

const gateway = await createGateway({ sidecar: process.argv[2], onWarning: () => {}, onLog: () => {} })
process.on('message', async () => {
  // Twice, since objects that the first run finalizes may hold others.
  for (let i = 0; i < 2; i++) {
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  process.send({ rss, heapUsed, external })
})
process.on('disconnect', () => process.exit())
process.send({ port: gateway.port })

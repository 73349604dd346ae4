// Records changes of a label at two moments, and ends right after the second.
import { setTimeout as sleep } from 'node:timers/promises'
import { createLocalSidecar } from '../../dist/node.js'

const [path, end] = process.argv.slice(2)
const local = await createLocalSidecar({ record: path })
for (let i = 0; i < 100; i += 1) local.control({ type: 'setLabel', key: 'i', value: String(i) })
await sleep(20)
for (let i = 100; i < 200; i += 1) local.control({ type: 'setLabel', key: 'i', value: String(i) })
if (end === 'process.exit()') process.exit(0)
throw new Error('on purpose')

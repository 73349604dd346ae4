/** Runs in Node, Deno or Bun, in a project that has installed the package: `runtime.mjs <url> <watch>`; prints JSON. */
import { createClient } from 'gameserver-sidecar'
import { allOperations } from './all-operations.mjs'

const args = typeof Deno === 'object' ? Deno.args : process.argv.slice(2)
const [baseUrl, watch] = args
const outcome = await allOperations(createClient({ baseUrl, watch }))
const runtime =
  typeof Deno === 'object'
    ? `Deno ${Deno.version.deno}`
    : typeof Bun === 'object'
      ? `Bun ${Bun.version}`
      : `Node ${process.versions.node}`
console.log(JSON.stringify({ runtime, entry: import.meta.resolve('gameserver-sidecar').replace(/.*\//, ''), outcome }))

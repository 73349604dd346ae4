// A module worker, dedicated or shared. No gateway injects its configuration here: a worker loads it itself.
import { allOperations } from './all-operations.mjs'
import * as GameServerSidecar from './esm/index.browser.js'
import './guest.js'

Object.assign(globalThis, { allOperations, GameServerSidecar })
// Without waiting: the first message comes, and the first page connects, when this has run.
serve(new URLSearchParams(location.search).has('gateway') ? import('/_/config.js') : Promise.resolve())

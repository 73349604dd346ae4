import { check, checkNames } from './checks.js'
import { createEmitter } from './emitter.js'
import { named } from './errors.js'
import { follow } from './signals.js'

/** What the package's other entries share with the client. Not for applications: it may change with any release. */
export const internals = { check, checkNames, createEmitter, follow, named }

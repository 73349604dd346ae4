import type { Health } from '../health/heartbeat.js'
import type { Calls } from './calls.js'
import type { Events } from './events.js'
import type { Link } from './link.js'
import type { Location } from './location.js'
import type { ResolvedOptions } from './options.js'
import type { Scope } from './scope.js'
import type { State } from './state.js'
import type { Timers } from './timers.js'

/** What the parts of one client know of it and of each other: they all take this one object. */
export interface Core extends ResolvedOptions, Location, Timers, State, Events, Link, Calls, Health {
  /** The client's life: ends with `close()`, or when its signal is aborted. */
  readonly _scope: Scope
}

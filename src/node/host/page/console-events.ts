import type { RemoteObject } from './remote-object.js'
import type { CallFrame } from './source-maps.js'

/** `Runtime.consoleAPICalled` */
export interface ConsoleCall {
  readonly type: string
  readonly args: readonly RemoteObject[]
  readonly stackTrace?: { readonly callFrames: readonly CallFrame[] }
}

/** Of `Runtime.exceptionThrown`; lines and columns count from 0. */
export interface ExceptionDetails {
  /** `Uncaught` or `Uncaught (in promise)`. */
  readonly text: string
  readonly url?: string
  readonly lineNumber: number
  readonly columnNumber: number
  readonly exception?: RemoteObject
  readonly stackTrace?: { readonly callFrames: readonly CallFrame[] }
}

/** Of `Log.entryAdded`: failed loads, and what else the browser has to say. */
export interface LogEntry {
  /** For example `network`, `security` or `worker`. */
  readonly source: string
  readonly level: string
  readonly text: string
  readonly url?: string
  readonly lineNumber?: number
}

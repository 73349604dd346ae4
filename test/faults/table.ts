import { bytesFaults } from './table-bytes.js'
import { connectionFaults } from './table-connections.js'
import { frameFaults } from './table-frames.js'
import { lineFaults } from './table-lines.js'
import { orderFaults } from './table-order.js'
import type { WatchFault } from './watch-fault.js'

/** Every fault of the watch, with what the user must see. Calls have a table of their own: `table-calls.ts`. */
export const watchFaults: readonly WatchFault[] = [
  ...connectionFaults,
  ...bytesFaults,
  ...lineFaults,
  ...frameFaults,
  ...orderFaults,
]

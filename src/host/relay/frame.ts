/**
 * The protocol between the host and the page. Each message of their socket is a batch of one or more frames in a row.
 *
 *     u32 connection   u8 operation   u8 binary   u32 length   payload
 */

/** Length of a frame's head in bytes. */
export const HEAD_BYTES = 10

export const OPERATIONS = {
  /** From the host: a player has connected. The address, a space, and the path with the query. */
  open: 1,
  /** From the host: a message of a player. From the page: a message to a player. */
  data: 2,
  /** From the host: the connection has ended. From the page: end the connection. A u16 code, a reason. */
  close: 3,
  /** From the host: acknowledges the page's first u32 batches. The connection is 0. */
  taken: 4,
  /** From the host: u32 bytes wait to be sent to the player. */
  waiting: 5,
  /** From the page: a message to a player that may be lost, or come before an earlier one. */
  unreliable: 6,
} as const

export type Operation = (typeof OPERATIONS)[keyof typeof OPERATIONS]

/** A close frame of a WebSocket has no room for a longer reason. */
export const MOST_REASON_BYTES = 123

/** The longest message to a player, in bytes. */
export const MOST_MESSAGE_BYTES = 16 * 1024 * 1024

/** A writer's batch is sent before it gets longer than this, unless one message alone is. */
export const BATCH_BYTES = 256 * 1024

/** Upper limit of a batch: a batch of the usual length and the longest message. */
export const MOST_BATCH_BYTES = BATCH_BYTES + HEAD_BYTES + MOST_MESSAGE_BYTES

/** Close code for a page that another page has replaced. The replaced page doesn't dial again. */
export const REPLACED = 4001

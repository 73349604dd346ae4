import type { Readable } from 'node:stream'
import { openFile, unreadableReason } from '../../local/files.js'
import { InvalidInput } from '../../platform/schema.js'
import { readLine, TornLine } from '../../platform/schema.js'
import { longestTimer } from '../../platform/sidecar.js'
import type { RecordingLine } from '../../platform/sidecar.js'
import { CommandError } from '../context.js'
import { EXIT } from '../exit-codes.js'

/** Most characters of a line. A GameServer that is padded to 64 MiB fits. */
const LONGEST = 128 * 2 ** 20

/** A line of a recording and its number. */
export interface NumberedLine {
  readonly number: number
  readonly line: RecordingLine
}

/** Waits, at most as long as a timer can. */
export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.min(ms, longestTimer)))

/** Opens a recording; `-` is the standard input. @throws CommandError for a file that can't be read */
export async function openRecording(path: string): Promise<Readable> {
  if (path === '-') return process.stdin
  try {
    return (await openFile(path)).createReadStream()
  } catch (error) {
    throw new CommandError(EXIT.NO_FILE, `Cannot read ${path}: ${unreadableReason(error)}.`, { cause: error })
  }
}

/**
 * The lines of a recording as they arrive. A torn line, which `kill -9` leaves, is skipped at the end of the file and
 * before the header of a session that was appended.
 *
 * @throws CommandError which names file, line and what was expected there
 */
export async function* readRecording(stream: Readable, path: string): AsyncGenerator<NumberedLine> {
  const name = path === '-' ? 'standard input' : path
  let number = 0
  let read = 0
  let torn: { readonly number: number; readonly error: TornLine } | undefined
  const fail = (at: number, { message }: Pick<Error, 'message'>): CommandError =>
    new CommandError(EXIT.FAILED, `${name}:${at}: ${message.replace(/([^?])$/, '$1.')}`)
  const tooLong = (): CommandError =>
    fail(number + 1, { message: `the line must have at most ${LONGEST / 2 ** 20} MiB` })
  for await (const text of linesOf(stream, tooLong)) {
    number += 1
    if (text.trim() === '') continue
    let line: RecordingLine
    try {
      line = readLine(number === 1 ? text.replace(/^\uFEFF/, '') : text)
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      if (torn !== undefined) throw fail(torn.number, torn.error)
      if (!(error instanceof TornLine)) throw fail(number, error)
      torn = { number, error }
      continue
    }
    if (torn !== undefined && line.type !== 'recording') throw fail(torn.number, torn.error)
    torn = undefined
    read += 1
    yield { number, line }
  }
  if (read > 0) return
  if (torn !== undefined) throw fail(torn.number, torn.error)
  throw new CommandError(EXIT.FAILED, `${name} is empty: expected the lines of a recording.`)
}

/** @throws what `tooLong` returns, for a line that exceeds the limit */
async function* linesOf(stream: Readable, tooLong: () => Error): AsyncGenerator<string> {
  let parts: string[] = []
  let size = 0
  for await (const chunk of stream.setEncoding('utf8')) {
    const [first = '', ...more] = String(chunk).split('\n')
    parts.push(first)
    size += first.length
    for (const part of more) {
      yield parts.join('').replace(/\r$/, '')
      parts = [part]
      size = part.length
    }
    if (size > LONGEST) throw tooLong()
  }
  yield parts.join('')
}

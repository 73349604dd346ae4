import { stripVTControlCharacters } from 'node:util'
import { plainLines } from '../plain-lines.js'
import type { ProgramEnd } from './program-process.js'

/** How an error begins in Node, Deno and Bun. */
const ERROR = /^(error:|(uncaught )?[\w.$]*(error|exception)\b)/i
/** What Node writes when its heap is full, before it ends itself by SIGABRT. */
const HEAP_FULL = /^FATAL ERROR: .*out of memory/
/** What Node and Bun write below it. */
const VERSION = /^(Node\.js|Bun) v\d/
const MAX_SENTENCE = 300
const MAX_DETAILS = 8

/**
 * Why a program has crashed: in one sentence, and the lines of its stderr that say more.
 *
 * @param whyKilled words about the reason for which the system kills, if it does
 */
export function describeCrash(
  { code, signal, lastErrors }: ProgramEnd,
  whyKilled: string,
): { sentence: string; details: string[] } {
  const how = `The program ended ${signal === null ? `with exit code ${code}` : `by ${signal}`}`
  const lines = lastErrors.map(stripVTControlCharacters).filter((line) => !VERSION.test(line))
  const last = lines.slice(-MAX_DETAILS).map((line) => plainLines(line))
  // A shell ends with 137 after a program that was killed.
  if (signal === 'SIGKILL' || code === 137) return { sentence: how + whyKilled, details: last }
  const found = lines.map((line) => (signal === null ? ERROR : HEAP_FULL).test(line)).lastIndexOf(true)
  // What a program has written before a signal need not be about its end.
  if (signal !== null && found === -1) return { sentence: how, details: last }
  const start = found === -1 ? lines.length - 1 : found
  const message = lines[start]
  if (message === undefined) return { sentence: how, details: [] }
  return {
    sentence: plainLines(`${how}: ${message.trim().slice(0, MAX_SENTENCE)}`),
    details: lines.slice(start + 1, start + 1 + MAX_DETAILS).map((line) => plainLines(line)),
  }
}

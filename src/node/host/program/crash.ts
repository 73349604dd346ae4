import { stripVTControlCharacters } from 'node:util'
import { plainLines } from '../plain-lines.js'
import type { ProgramEnd } from './program-process.js'

/** How an error begins in Node, Deno and Bun. */
const ERROR = /^(error:|(uncaught )?[\w.$]*(error|exception)\b)/i
/** What Node and Bun write below it. */
const VERSION = /^(Node\.js|Bun) v\d/
const MAX_SENTENCE = 300
const MAX_DETAILS = 8

/** Why a program has crashed: in one sentence, and the lines of its stderr that say more. */
export function describeCrash({ code, signal, lastErrors }: ProgramEnd): { sentence: string; details: string[] } {
  const how = `The program ended ${signal === null ? `with exit code ${code}` : `by ${signal}`}`
  const lines = lastErrors.map(stripVTControlCharacters).filter((line) => !VERSION.test(line))
  // What a killed program has written before need not be about its end.
  if (signal !== null) return { sentence: how, details: lines.slice(-MAX_DETAILS).map((line) => plainLines(line)) }
  const found = lines.map((line) => ERROR.test(line)).lastIndexOf(true)
  const start = found === -1 ? lines.length - 1 : found
  const message = lines[start]
  if (message === undefined) return { sentence: how, details: [] }
  return {
    sentence: plainLines(`${how}: ${message.trim().slice(0, MAX_SENTENCE)}`),
    details: lines.slice(start + 1, start + 1 + MAX_DETAILS).map((line) => plainLines(line)),
  }
}

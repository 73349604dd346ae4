/**
 * The parts of the YAML library that are used. They are imported when a file is read, and a dynamic import of the library
 * itself would bundle all of it.
 */
import { CST } from 'yaml'

export {
  Composer,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseAllDocuments,
  parseDocument,
  Parser,
  Scalar,
  stringify,
  visit,
} from 'yaml'
export const SCALAR = CST.SCALAR
export const tokenType = CST.tokenType

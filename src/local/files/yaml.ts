/**
 * The parts of the YAML library that are used. They are imported when a file is read, and a dynamic import of the library
 * itself would bundle all of it.
 */
export {
  Composer,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  Parser,
  stringify,
  visit,
} from 'yaml'

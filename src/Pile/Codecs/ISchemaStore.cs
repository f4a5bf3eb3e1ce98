// Where the schemas of a pile are kept. The one place where "written before its first use" happens: what needs more than
// that, a completed flush for example, belongs behind it.
using System;

namespace Pile.Codecs;

/// <summary>Keeps schema records.</summary>
internal interface ISchemaStore
{
    /// <summary>Notes how far numbers of types are issued, before the first record of one: they are another type's never again, whatever becomes of the record.</summary>
    /// <returns>Ok when it is noted; else why nothing can be written.</returns>
    PileStatus Issue(int lastNumber);

    /// <summary>Keeps a record for as long as the pile lives.</summary>
    /// <returns>Ok when it is kept; else Full or Disposed.</returns>
    PileStatus Keep(ReadOnlySpan<byte> record);
}

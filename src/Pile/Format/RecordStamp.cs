// What a durable header says beyond word 0. A memory pile passes it along and writes none of it.
// It does not judge its fields: who draws versions, generations and sequences keeps them within their bits.
namespace Pile.Format;

/// <summary>Facts of one record that only the durable header stores.</summary>
/// <param name="Version">Version of the object within its generation, 40 bits.</param>
/// <param name="Generation">Generation of the slot, 24 bits.</param>
/// <param name="Salt">What ties the record to its pile and segment: <see cref="DurableRecord.SaltOf"/>.</param>
/// <param name="Location">The record's own location, in words.</param>
internal readonly record struct RecordStamp(ulong Version, uint Generation, uint Salt, long Location);

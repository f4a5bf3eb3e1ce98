// A durable table, as the list of them has it.
// What the table holds is in the pile's log.
using Pile.Cache.Keys;

namespace Pile.Cache.Files;

/// <summary>A row of <see cref="DurableList"/>.</summary>
/// <param name="Table">The table's number.</param>
/// <param name="Era">Its Clears, modulo 1024 (KeyedPrefix): entries of another era were cleared.</param>
/// <param name="Seed">What hashes begin with.</param>
/// <param name="Options">What it was made with, its name and types included.</param>
internal sealed record DurableRow(int Table, int Era, HashSeed Seed, PileTableOptions Options);

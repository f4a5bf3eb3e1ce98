namespace Pile.Client.Tests;

/// <summary>A request of a stream, as a server's double sees it: its id, how many keys, and those one after the other.</summary>
internal readonly record struct BatchSeen(ulong Id, int Keys, string KeyText);

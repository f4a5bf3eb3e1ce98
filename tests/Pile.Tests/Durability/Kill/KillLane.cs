namespace Pile.Tests.Durability.Kill;

/// <summary>As what an object's content is stored.</summary>
internal enum KillLane : byte
{
    Bytes,
    Narrow,
    Wide,
    Longs,
    Typed,
}

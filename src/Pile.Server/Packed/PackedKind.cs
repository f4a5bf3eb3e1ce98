// What a hand-made message is. Which fields it has is PackedRequest's and PackedReply's.
// The numbers of the three batches are those of the fields of BatchRequest.
namespace Pile.Server.Packed;

/// <summary>Kinds of requests that are read by hand.</summary>
internal enum PackedKind
{
    None = 0,
    GetMany = 1,
    SetMany = 2,
    RemoveMany = 3,
    Get = 4,
    Set = 5,
    Remove = 6,
}

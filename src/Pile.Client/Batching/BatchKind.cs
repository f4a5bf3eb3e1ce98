// What the calls of a batch are.
// The numbers are those of the fields of BatchRequest.
namespace Pile.Client.Batching;

/// <summary>Kinds of batches.</summary>
internal enum BatchKind
{
    Get = 1,
    Set = 2,
    Remove = 3,
}

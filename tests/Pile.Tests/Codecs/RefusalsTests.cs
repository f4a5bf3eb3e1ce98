using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Code that looks like data. F#'s library is not here: one of the same names is made.</summary>
public sealed class RefusalsTests
{
    [Theory]
    [InlineData("Microsoft.FSharp.Core.FSharpFunc`2", "main@7-1")]
    [InlineData("Microsoft.FSharp.Core.CompilerServices.GeneratedSequenceBase`1", "rows@9")]
    public void AFunctionOrSequenceThatFSharpCompiledIsRefusedWithThePath(string definition, string name)
    {
        ModuleBuilder library = ModuleOf("FSharp.Core");
        TypeBuilder generic = library.DefineType(definition, TypeAttributes.Public | TypeAttributes.Abstract);
        _ = generic.DefineGenericParameters([.. definition.EndsWith('2') ? new[] { "T", "TResult" } : ["T"]]);
        Type made = generic.CreateType();
        Type function = made.MakeGenericType(Array.ConvertAll(made.GetGenericArguments(), static _ => typeof(int)));

        using ObjectPile pile = ObjectPile.Create();
        object code = InstanceOf(ModuleOf("Shop"), name, function);
        PileRefusedException refused = Assert.Throws<PileRefusedException>(() => pile.Put(new Holder { Held = code }));
        Assert.Equal("Holder.Held", refused.GraphPath);

        // The library's own have other names in its next release, and none of its collections holds one.
        object own = InstanceOf(library, "dictRefType@58", function);
        Assert.Equal("Holder.Held", Assert.Throws<PileRefusedException>(() => pile.Put(new Holder { Held = own })).GraphPath);
    }

    /// <summary>What Visual Basic makes of iterators and of what lambdas close over; the names of others begin so too.</summary>
    [Theory]
    [InlineData("VB$StateMachine_1_Walk", true, true)]
    [InlineData("VB$StateMachine___Lambda$__2-0", true, true)]
    [InlineData("_Closure$__2-0", true, true)]
    [InlineData("_Closure$__", true, true)]
    [InlineData("VB$StateMachine_1_Walk", false, false)]
    [InlineData("_Closure$__2-0", false, false)]
    [InlineData("MyProject", true, false)]
    [InlineData("VB$AnonymousType_0", true, false)]
    public void ACompilersClassOfVisualBasicIsRefusedWhereItIsCode(string name, bool isOfCompiler, bool isRefused)
    {
        TypeBuilder building = ModuleOf("Shop").DefineType(name, TypeAttributes.Public);
        if (isOfCompiler)
        {
            building.SetCustomAttribute(new CustomAttributeBuilder(typeof(CompilerGeneratedAttribute).GetConstructor([])!, []));
        }

        object value = Activator.CreateInstance(building.CreateType())!;
        using ObjectPile pile = ObjectPile.Create();
        var refused = Record.Exception(() => pile.Put(new Holder { Held = value })) as PileRefusedException;
        Assert.Equal(isRefused ? "Holder.Held" : null, refused?.GraphPath);
    }

    [Fact]
    public void AnIteratorIsRefusedWhateverMadeIt()
    {
        using ObjectPile pile = ObjectPile.Create();
        int[] some = [1, 2];
        IEnumerable<int>[] iterators =
        [
            Rows(2), Local(2), LocalOf<string>(), some.Where(static value => value > 1), some.Concat([3]), some.Union([3]), some.Append(3), some.Prepend(3).Append(4),
        ];
        foreach (IEnumerable<int> iterator in iterators)
        {
            PileRefusedException refused = Assert.Throws<PileRefusedException>(() => pile.Put(new Holder { Held = iterator }));
            Assert.Equal("Holder.Held", refused.GraphPath);
        }

        static IEnumerable<int> Local(int count)
        {
            yield return count;
        }

        static IEnumerable<int> LocalOf<T>()
        {
            yield return typeof(T).Name.Length;
        }
    }

    /// <summary>A mark on a field is of no use to who stores the iterator itself.</summary>
    [Fact]
    public void AnIteratorsRefusalSaysToStoreWhatItGives()
    {
        using ObjectPile pile = ObjectPile.Create();
        int[] some = [1, 2];
        Assert.Contains("Store what it gives (ToArray, ToList), or mark the field", Assert.Throws<PileRefusedException>(() => pile.Put(Rows(2))).Message, StringComparison.Ordinal);
        Assert.Contains("Store what it gives (ToArray, ToList)", Assert.Throws<PileRefusedException>(() => pile.Put(some.Where(static value => value > 1))).Message, StringComparison.Ordinal);
        Assert.Contains(". Mark the field", Assert.Throws<PileRefusedException>(() => pile.Put(new Holder { Held = (Action)pile.Dispose })).Message, StringComparison.Ordinal);
    }

    private static IEnumerable<int> Rows(int count)
    {
        yield return count;
    }

    private static ModuleBuilder ModuleOf(string assembly) =>
        AssemblyBuilder.DefineDynamicAssembly(new AssemblyName(assembly), AssemblyBuilderAccess.Run).DefineDynamicModule(assembly);

    private static object InstanceOf(ModuleBuilder module, string name, Type parent) =>
        Activator.CreateInstance(module.DefineType(name, TypeAttributes.Public, parent).CreateType())!;

    internal sealed class Holder
    {
        public object? Held { get; set; }
    }
}
